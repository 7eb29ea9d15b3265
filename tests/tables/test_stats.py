"""Statistics against SciPy, statsmodels, and numbers derived by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.tables import resampling, stats

scipy_stats = pytest.importorskip(
    "scipy.stats", reason="SciPy is the second implementation (dev environment)"
)


@pytest.fixture
def scores() -> np.ndarray:
    return np.random.default_rng(7).gamma(2.0, 1.5, size=60)


class TestMoments:
    def test_a_mean_of_nothing_is_nan_and_of_an_infinity_is_infinite(self) -> None:
        data = stats.units([[1.0, np.nan, np.inf], [3.0, np.nan, 5.0]])
        total = stats.Moments(data.total.sum(0), data.count.sum(0), data.infinite.sum(0))
        assert total.mean[0] == 2.0
        assert math.isnan(total.mean[1])
        assert total.mean[2] == math.inf

    def test_clusters_are_summed_in_order_of_appearance(self) -> None:
        data = stats.units([1.0, 2.0, 4.0, np.nan], clusters=["b", "a", "b", "a"])
        assert data.total[:, 0].tolist() == [5.0, 2.0]
        assert data.count[:, 0].tolist() == [2.0, 1.0]

    def test_minus_infinity_is_refused(self) -> None:
        with pytest.raises(ValueError, match="minus infinity"):
            stats.units([-np.inf])


class TestIntervals:
    def test_bca_equals_scipy_on_the_same_replicates(self, scores: np.ndarray) -> None:
        theirs = scipy_stats.bootstrap(
            (scores,),
            np.mean,
            n_resamples=999,
            method="BCa",
            rng=np.random.default_rng(0),
            vectorized=True,
        )
        left_out = (scores.sum() - scores) / (len(scores) - 1)
        low, high = stats.bca_limits(theirs.bootstrap_distribution, float(scores.mean()), left_out)
        # SciPy interpolates the quantiles of the distribution in the same way ("linear").
        assert low == pytest.approx(theirs.confidence_interval.low, rel=1e-9)
        assert high == pytest.approx(theirs.confidence_interval.high, rel=1e-9)

    def test_percentile_equals_scipy_on_the_same_replicates(self, scores: np.ndarray) -> None:
        theirs = scipy_stats.bootstrap(
            (scores,),
            np.mean,
            n_resamples=999,
            method="percentile",
            rng=np.random.default_rng(0),
            vectorized=True,
        )
        low, high = stats.percentile_limits(theirs.bootstrap_distribution)
        assert (low, high) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)

    def test_the_bootstrap_agrees_with_scipy_on_its_own_resamples(self, scores: np.ndarray) -> None:
        ours = stats.mean_interval(scores, resamples=20_000, seed=3)
        theirs = scipy_stats.bootstrap(
            (scores,), np.mean, n_resamples=20_000, rng=np.random.default_rng(1)
        )
        # Monte Carlo error of a 2.5 % quantile with 20,000 draws is about 0.012 standard errors of
        # the mean.
        spread = theirs.standard_error
        assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.08 * spread)
        assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.08 * spread)
        assert ours.n == 60

    def test_two_strata_bca_equals_scipys_two_samples(self) -> None:
        generator = np.random.default_rng(5)
        a, b = generator.exponential(size=25), generator.exponential(2.0, size=40)

        def difference(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
            return x.mean(axis=axis) - y.mean(axis=axis)

        theirs = scipy_stats.bootstrap(
            (a, b), difference, n_resamples=500, method="BCa", rng=np.random.default_rng(2)
        )
        left_out = np.concatenate(
            [(a.sum() - a) / (len(a) - 1) - b.mean(), a.mean() - (b.sum() - b) / (len(b) - 1)]
        )
        low, high = stats.bca_limits(
            theirs.bootstrap_distribution,
            float(a.mean() - b.mean()),
            left_out,
            strata=[0] * 25 + [1] * 40,
        )
        assert (low, high) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)

    def test_the_same_seed_gives_the_same_interval_and_another_does_not(
        self, scores: np.ndarray
    ) -> None:
        assert stats.mean_interval(scores, seed=1) == stats.mean_interval(scores, seed=1)
        assert stats.mean_interval(scores, seed=1) != stats.mean_interval(scores, seed=2)

    def test_a_stratum_keeps_its_size_in_every_resample(self) -> None:
        strata = np.array([0, 1, 0, 1, 1, 2])
        counts = np.concatenate(list(stats.resample_counts(strata, 50, seed=0)))
        assert counts.shape == (50, 6)
        for label, size in ((0, 2), (1, 3), (2, 1)):
            assert (counts[:, strata == label].sum(axis=1) == size).all()

    def test_draws_are_counted_alike_line_by_line_and_all_at_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        strata = np.arange(30) % 2
        once = np.concatenate(list(stats.resample_counts(strata, 50, seed=3)))
        monkeypatch.setattr(resampling, "AT_ONCE", 1)
        assert (np.concatenate(list(stats.resample_counts(strata, 50, seed=3))) == once).all()

    @pytest.mark.parametrize("n", [1, 2, 7, 1000])
    def test_draws_do_not_depend_on_their_width(self, n: int) -> None:
        """Narrow numbers are drawn for their speed; they are those that wide ones would be."""
        (counts,) = stats.resample_counts(np.zeros(n), 30, seed=4)
        drawn = np.random.default_rng(4).integers(0, n, size=(30, n))
        assert (counts == [np.bincount(line, minlength=n) for line in drawn]).all()

    def test_pairs_that_share_their_draws_are_what_each_is_alone(self) -> None:
        generator = np.random.default_rng(0)
        values = generator.normal(size=(6, 80))
        values[1, :5] = np.nan
        pairs = [
            stats.Pair(values[0], values[1]), stats.Pair(values[2], values[3]),
            stats.Pair(values[3], values[4], False), stats.Pair(values[4], np.round(values[5])),
            stats.Pair(values[5][:1], values[0][:1]), stats.Pair(np.round(values[0]), np.zeros(80)),
        ]  # fmt: skip
        alone = [
            stats.paired_difference(a, b, higher_is_better=higher, seed=3) for a, b, higher in pairs
        ]
        assert repr(stats.paired_differences(pairs, seed=3)) == repr(alone)

    def test_counts_that_are_alike_give_what_each_of_them_gives(self) -> None:
        values = np.random.default_rng(0).random((40, 3))
        values[3, 1], values[7, 2], values[:, 0] = np.nan, np.inf, 0.5
        data = stats.units(np.hstack([values, values]))
        found = resampling.replicates(data, resampling.mean_of, np.zeros(40), 20, seed=1)
        (counts,) = stats.resample_counts(np.zeros(40), 20, seed=1)
        assert data.infinite is not None
        whole = [counts @ part for part in (data.total, data.count, data.infinite)]
        assert np.array_equal(found, resampling.Moments(*whole).mean, equal_nan=True)

    def test_a_difference_between_strata_alone_gives_no_interval_width(self) -> None:
        values = np.array([1.0, 1.0, 5.0, 5.0])
        stratified = stats.mean_interval(values, strata=[0, 0, 1, 1])
        assert (stratified.low, stratified.high) == (3.0, 3.0)
        assert stats.mean_interval(values).low < 3.0

    def test_small_strata_are_put_together(self) -> None:
        big, small, one = ["big"] * 12, ["small"] * 6, ["one"]
        codes = stats.pooled([*big, *small, *one, *["other"] * 4])
        assert [len(set(codes[:12])), len(set(codes[12:]))] == [
            1,
            1,
        ]  # 6 + 1 + 4 = 11 make a stratum
        assert codes[0] != codes[12]
        assert (
            len(set(stats.pooled([*big, *small]))) == 1
        )  # 6 alone are still too few: they join the others
        assert len(set(stats.pooled([*big, *["next"] * 20, *one]))) == 2
        assert stats.pooled([*big, *one])[12] == stats.pooled([*big, *one])[0]

    def test_strata_of_one_sample_do_not_make_an_interval_of_no_width(self) -> None:
        values = np.random.default_rng(0).normal(size=30)
        alone = [str(n) for n in range(30)]
        assert (
            stats.mean_interval(values, strata=alone).high
            == stats.mean_interval(values, strata=alone).low
        )
        found = stats.mean_interval(values, strata=stats.pooled(alone))
        assert (found.low, found.high) == stats.mean_interval(values)[1:3]

    def test_repeats_of_a_sample_do_not_narrow_the_interval(self) -> None:
        values = np.random.default_rng(0).normal(size=40)
        once = stats.mean_interval(values, seed=0)
        clustered = stats.mean_interval(
            np.repeat(values, 5), clusters=np.repeat(np.arange(40), 5), seed=0
        )
        by_row = stats.mean_interval(np.repeat(values, 5), seed=0)
        assert clustered.high - clustered.low == pytest.approx(once.high - once.low)
        assert by_row.high - by_row.low < 0.6 * (once.high - once.low)

    def test_no_scores_no_interval(self) -> None:
        assert stats.mean_interval([np.nan, np.nan])[3] == 0
        assert math.isnan(stats.mean_interval([np.nan])[0])

    def test_an_infinite_mean_has_no_interval(self) -> None:
        found = stats.bootstrap(stats.units([1.0, 2.0, np.inf]), resamples=50)
        assert found.estimate[0] == math.inf
        assert math.isnan(found.low[0])

    def test_constant_scores_have_an_interval_of_no_width(self) -> None:
        found = stats.mean_interval([0.5] * 10)
        assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["bca", "percentile"])
    def test_coverage_by_simulation(self, method: stats.Method) -> None:
        """Of 1,000 intervals of skewed stratified data of 60 samples about 95 % hold the truth."""
        generator = np.random.default_rng(11)
        strata = np.repeat([0, 1, 2], [30, 20, 10])
        scale = np.array([1.0, 2.0, 4.0])[strata]
        truth = float(scale.mean())  # exponential with mean `scale`, drawn to fixed strata sizes
        held = 0
        for trial in range(1000):
            found = stats.mean_interval(
                generator.exponential(scale),
                strata=strata,
                resamples=600,
                method=method,
                seed=trial,
            )
            held += found.low <= truth <= found.high
        # Bootstrap intervals of skewed data this small run a little narrow; +- 0.014 is twice the
        # simulation error.
        assert 0.90 <= held / 1000 <= 0.97


class TestNoise:
    """What resampling itself leaves in an interval, and how many digits that allows."""

    def test_the_noise_is_what_another_seed_changes(self) -> None:
        """The standard deviation of a limit over 40 seeds, against the noise told from one."""
        values = np.random.default_rng(5).gamma(2.0, 1.0, 80)
        data = stats.units(values)
        found = [stats.bootstrap(data, resamples=2000, seed=seed) for seed in range(40)]
        told = np.median([one.noise[0] for one in found], axis=0)
        for limits, noise in zip(
            ([f.low[0] for f in found], [f.high[0] for f in found]), told, strict=True
        ):
            assert 0.5 < noise / np.std(limits) < 1.6

    @pytest.mark.parametrize(
        ("noise", "digits"),
        [(0.001, 2), (0.0012, 2), (0.00124, 2), (0.0026, 1), (2.0, -1), (30.0, -3), (0.0, 15)],
    )
    def test_two_standard_errors_fit_into_half_a_unit_of_the_last_digit(
        self, noise: float, digits: int
    ) -> None:
        assert stats.carried([noise, 0.0]) == (digits, 15)
        assert 2 * noise <= 0.5 * 10.0**-digits
        if noise:
            assert 2 * noise > 0.5 * 10.0 ** -(digits + 1)

    def test_nothing_is_carried_where_nothing_is_known(self) -> None:
        assert stats.carried([math.nan, 0.1]) is None
        assert stats.mean_interval([np.nan]).digits is None

    def test_another_seed_prints_the_same_to_one_unit(self) -> None:
        values = np.random.default_rng(8).normal(0.9, 0.13, 300)
        found = [stats.mean_interval(values, seed=seed) for seed in range(8)]
        for place, limits in enumerate(([f.low for f in found], [f.high for f in found])):
            digits = min((one.digits or (0, 0))[place] for one in found)
            printed = [round(limit, digits) for limit in limits]
            assert max(printed) - min(printed) < 1.5 * 10.0**-digits

    def test_cheap_intervals_get_more_resamples(self) -> None:
        assert stats.enough(1267, 300) == stats.RESAMPLES
        assert stats.enough(50, 4) == 100_000
        assert stats.RESAMPLES < stats.enough(1196, 8) < 100_000
        values = np.random.default_rng(3).normal(size=20)
        fixed = stats.mean_interval(values, resamples=stats.enough(20, 1))
        assert stats.mean_interval(values) == fixed


class TestPermutations:
    def brute(self, values: np.ndarray) -> float:
        sums = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.mean(np.abs(sums) >= abs(values.sum()) * (1 - 1e-12)))

    @pytest.mark.parametrize("n", [1, 2, 3, 9, 15, 18])
    def test_exact_equals_all_signs(self, n: int) -> None:
        for seed in range(4):
            values = np.random.default_rng(seed).normal(0.7, 1, n)
            assert stats.permutation_p(values) == pytest.approx(self.brute(values), rel=1e-12)
            whole = np.random.default_rng(seed).integers(-3, 5, n).astype(float)
            assert stats.permutation_p(whole) == pytest.approx(self.brute(whole), rel=1e-12)

    def test_a_lattice_equals_all_signs(self) -> None:
        """18 values of one size beside zeros, and beside the path for few: the same distribution."""
        whole = np.random.default_rng(2).integers(1, 5, 18)
        observed = float(whole[:14].sum() - whole[14:].sum())
        assert 2 * stats._lattice_tail(whole, observed) == pytest.approx(
            2 * stats._exact_tail(whole.astype(float), observed), rel=1e-9
        )

    @pytest.mark.parametrize("step", [1.0, 0.5, 1 / 3, 0.2, 0.01])
    def test_scores_of_a_judge_are_tested_exactly(self, step: float) -> None:
        """60 of 60 edits one step better: 2 signs of 2^60 are as extreme."""
        assert stats.permutation_p([step] * 60) == pytest.approx(2.0**-59, rel=1e-9)
        mixed = np.r_[np.full(70, step), np.full(10, -step)]
        binomial = scipy_stats.binomtest(10, 80).pvalue
        assert stats.permutation_p(mixed) == pytest.approx(binomial, rel=1e-9)

    @pytest.mark.parametrize("n", [40, 120, 600])
    @pytest.mark.parametrize("shift", [0.4, 0.7, 1.0])
    def test_the_tail_of_other_values_is_within_a_few_per_cent(self, n: int, shift: float) -> None:
        """Multiples of 1/1009 go by the saddlepoint; the same times 1009 are whole numbers, whose
        distribution is gone through exactly.
        """
        values = np.random.default_rng(n).normal(shift, 1, n)
        whole = np.rint(values * 1009 / np.abs(values).max()).astype(np.int64)
        whole = whole[whole != 0]
        observed = abs(int(whole.sum())) - 0.25
        exact = stats._lattice_tail(np.abs(whole), observed)
        found = stats._saddlepoint_tail(np.abs(whole) / 1009, observed / 1009)
        if exact > 1e-300:
            assert found == pytest.approx(exact, rel=0.15)

    def test_p_has_no_floor_and_more_than_500_lines_can_be_significant(self) -> None:
        """10,000 permutations end at 1e-4, and 1e-4 x 501 is above 0.05."""
        values = np.random.default_rng(1).normal(0.5, 1, 400)
        p = stats.permutation_p(values)
        assert p < 1e-12
        assert stats.holm([p] * 600)[0] < 0.05
        theirs = scipy_stats.wilcoxon(values).pvalue
        assert abs(math.log10(p) - math.log10(theirs)) < 4

    def test_what_random_signs_resolve_is_theirs(self) -> None:
        values = np.random.default_rng(4).normal(0.05, 1, 200)
        theirs = scipy_stats.permutation_test(
            (values,), np.sum, permutation_type="samples", n_resamples=20_000, rng=1
        ).pvalue
        assert stats.permutation_p(values) == pytest.approx(theirs, abs=0.02)

    def test_all_on_one_side_and_all_zero(self) -> None:
        values = np.random.default_rng(4).random(40) + 1
        assert stats.permutation_p(values) == pytest.approx(2.0**-39, rel=1e-6)
        assert stats.permutation_p(np.zeros(50)) == 1.0
        assert stats.permutation_p([1.0, -1.0] * 30) == 1.0


class TestPaired:
    def test_wilcoxon_exact_equals_scipy(self) -> None:
        values = np.random.default_rng(3).normal(0.3, 1, size=20)
        assert stats.wilcoxon_p(values) == pytest.approx(
            scipy_stats.wilcoxon(values, method="exact").pvalue, rel=1e-9
        )

    def test_wilcoxon_with_ties_and_zeros_equals_scipy(self) -> None:
        values = np.random.default_rng(3).integers(-4, 6, size=80).astype(float)
        theirs = scipy_stats.wilcoxon(
            values, method="asymptotic", zero_method="wilcox", correction=False
        ).pvalue
        assert stats.wilcoxon_p(values) == pytest.approx(theirs, rel=1e-9)

    def test_permutation_exact_equals_scipy(self) -> None:
        values = np.random.default_rng(4).normal(0.5, 1, size=11)
        theirs = scipy_stats.permutation_test(
            (values,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=True
        ).pvalue
        assert stats.permutation_p(values) == pytest.approx(theirs, rel=1e-9)

    def test_permutation_by_sampling_is_near_the_t_test(self) -> None:
        values = np.random.default_rng(4).normal(0.2, 1, size=120)
        theirs = scipy_stats.ttest_1samp(values, 0).pvalue
        assert stats.permutation_p(values, permutations=20_000) == pytest.approx(theirs, abs=0.01)

    def test_holm_equals_statsmodels(self) -> None:
        multitest = pytest.importorskip(
            "statsmodels.stats.multitest", reason="second implementation"
        )
        p = [0.01, 0.04, 0.03, 0.005, 0.9, 0.04]
        assert stats.holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])

    def test_holm_leaves_missing_tests_out(self) -> None:
        # two tests: 0.01 * 2, then max(0.02, 0.04 * 1)
        assert stats.holm([0.01, np.nan, 0.04])[[0, 2]].tolist() == pytest.approx([0.02, 0.04])
        assert math.isnan(stats.holm([0.01, np.nan])[1])

    @pytest.mark.parametrize("effect", [0.1, 0.2, 0.5, 0.8, 1.2])
    def test_samples_needed_is_within_two_of_statsmodels(self, effect: float) -> None:
        power = pytest.importorskip("statsmodels.stats.power", reason="second implementation")
        exact = power.TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8)
        assert abs(stats.samples_needed(effect) - math.ceil(exact)) <= 1
        assert stats.samples_needed(-effect) == stats.samples_needed(effect)

    def test_only_common_samples_count(self) -> None:
        found = stats.paired_difference([1.0, np.nan, 3.0, 5.0], [0.0, 1.0, 3.0, 6.0])
        # common: 1-0, 3-3, 5-6 -> mean 0, one win, one tie, one loss
        assert (found.n, found.difference, tuple(found.counts)) == (3, 0.0, (1, 1, 1))
        assert found.needed is None

    def test_lower_is_better_turns_wins_round(self) -> None:
        assert stats.win_tie_loss([1.0, 2.0], [2.0, 2.0], higher_is_better=False) == (1, 1, 0)

    def test_two_infinities_are_a_tie_and_one_is_left_out(self) -> None:
        assert stats.paired_values([np.inf, np.inf, 1.0], [np.inf, 2.0, 0.5]).tolist() == [0.0, 0.5]

    def test_effect_is_the_mean_over_the_deviation(self) -> None:
        # differences 1, 2, 3: mean 2, sd 1
        assert stats.paired_difference([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]).effect == pytest.approx(
            2.0
        )

    def test_one_common_sample_has_no_p(self) -> None:
        found = stats.paired_difference([1.0], [0.5])
        assert found.difference == 0.5
        assert math.isnan(found.p_permutation)

    def test_shapes_must_agree(self) -> None:
        with pytest.raises(ValueError, match="one shape"):
            stats.paired_values([1.0], [1.0, 2.0])


class TestRanks:
    def test_clear_ranks_always_survive(self) -> None:
        data = stats.units(np.column_stack([np.full(30, 3.0), np.full(30, 1.0), np.full(30, 2.0)]))
        found = stats.bootstrap(data, resamples=100)
        ranks = stats.rank_stability(found.estimate, found.replicates)
        assert ranks.rank.tolist() == [1, 3, 2]
        assert ranks.kept.tolist() == [1.0, 1.0, 1.0]
        assert ranks.first.tolist() == [1.0, 0.0, 0.0]

    def test_two_equal_editors_swap_about_half_the_time(self) -> None:
        generator = np.random.default_rng(0)
        data = stats.units(generator.normal(size=(200, 2)))
        data = stats.units(data.total - data.total.mean(axis=0))
        found = stats.bootstrap(data, resamples=2000)
        ranks = stats.rank_stability([1.0, 0.0], found.replicates)
        assert ranks.first[0] == pytest.approx(0.5, abs=0.05)
        assert ranks.low.tolist() == [1, 1]
        assert ranks.high.tolist() == [2, 2]

    def test_lower_is_better(self) -> None:
        assert stats.rank_stability(
            [1.0, 2.0], [[1.0, 2.0]], higher_is_better=False
        ).rank.tolist() == [1, 2]

    def test_a_resample_without_a_value_ranks_nobody(self) -> None:
        """A small group that no resample drew is no first place."""
        draws = [[1.0, 0.5], [np.nan, np.nan], [1.0, np.nan], [0.9, 0.4]]
        ranks = stats.rank_stability([1.0, 0.5], draws)
        assert (ranks.low.tolist(), ranks.high.tolist()) == ([1, 2], [1, 2])
        assert ranks.first.tolist() == [1.0, 0.0]
        none = stats.rank_stability([1.0, 0.5], [[np.nan, 1.0]])
        assert (none.low.tolist(), none.high.tolist()) == ([1, 1], [2, 2])

    def test_a_missing_editor_is_refused(self) -> None:
        with pytest.raises(ValueError, match="every editor"):
            stats.rank_stability([1.0, np.nan], [[1.0, 1.0]])

    def test_ranks_share_ties_like_scipy(self) -> None:
        values = [3.0, 1.0, 3.0, 2.0]
        assert stats.ranks(values).tolist() == scipy_stats.rankdata(values).tolist()


class TestJudgeNoise:
    def test_by_hand(self) -> None:
        # samples (1,3) and (5,7): means 2 and 6; within 4/2 = 2; mean square between 2*(4+4)/1 = 16
        # -> (16-2)/2 = 7
        found = stats.judge_noise([[1.0, 3.0], [5.0, 7.0]])
        assert (found.within, found.between) == (2.0, 7.0)
        assert found.reliability == pytest.approx(7 / 9)
        # standard error of the mean: sqrt(7/2) from samples; sqrt(2 * (1/2 + 1/2)) / 2 from the
        # judge
        assert found.from_samples == pytest.approx(math.sqrt(3.5))
        assert found.from_judge == pytest.approx(math.sqrt(2.0) / 2)

    @pytest.mark.filterwarnings("ignore")
    def test_equals_statsmodels_reml_on_balanced_data(self) -> None:
        mixed = pytest.importorskip(
            "statsmodels.regression.mixed_linear_model", reason="second implementation"
        )
        generator = np.random.default_rng(9)
        table = generator.normal(0, 2, size=(60, 1)) + generator.normal(0, 1, size=(60, 3))
        fit = mixed.MixedLM(
            table.ravel(), np.ones((180, 1)), groups=np.repeat(np.arange(60), 3)
        ).fit(reml=True)
        found = stats.judge_noise(table)
        assert found.within == pytest.approx(fit.scale, rel=1e-4)
        assert found.between == pytest.approx(float(np.asarray(fit.cov_re)[0, 0]), rel=1e-4)

    def test_a_judge_that_repeats_itself_has_no_noise(self) -> None:
        found = stats.judge_noise([[1.0, 1.0, np.nan], [4.0, 4.0, 4.0]])
        assert found.within == 0.0
        assert found.reliability == 1.0
        assert found.judgements == 5

    def test_no_repeats_no_answer(self) -> None:
        assert math.isnan(stats.judge_noise([[1.0], [2.0]]).within)
