"""`editgauge recipe`: join the papers' models that live in repositories of their own."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.options import JsonOpt

if TYPE_CHECKING:
    from editgauge.editors.recipes import Recipe


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Models in repositories of their own: how they are installed, called and joined.",
        no_args_is_help=True,
    )
    group.command("list", epilog="Example: editgauge recipe list")(list_recipes)
    group.command("show", epilog="Example: editgauge recipe show omnigen2")(show)
    group.command("run", epilog="Example: editgauge recipe run omnigen2 CHECKOUT")(run)
    app.add_typer(group, name="recipe")


def list_recipes(json: JsonOpt = False) -> None:
    """List the recipes. None was run with weights here; each says where its command is from."""
    from editgauge.cli import common
    from editgauge.editors import recipes

    found = [recipes.load(name) for name in recipes.names()]
    if json:
        common.print_json(
            [{"name": r.name, "title": r.title, "kind": r.kind, "paper": r.paper} for r in found]
        )
        return
    for recipe in found:
        own = "which show prints" if recipe.entry else "which you write"
        needs = "" if recipe.kind == "script" else f"; needs a short file, {own}"
        print(f"{recipe.name:18} {recipe.title} ({recipe.paper}){needs}")
    print(recipes.NOT_RUN)


def show(
    name: Annotated[str, typer.Argument(help="See: editgauge recipe list")],
) -> None:
    """Say how a model is installed, which command is called, with which settings, and from where
    all of that is known.
    """
    from editgauge.editors import recipes

    recipe = recipes.load(name)
    unknown = "to be looked up in the repository"
    print(f"{recipe.title}, {recipe.paper}\n{recipes.NOT_RUN}\n")
    print(f"repository: {recipe.repository or 'to be looked up in the paper'}")
    told = f"{recipe.commit} is where this was read" if recipe.commit else "not known"
    print(f"commit:     {told}; recipe run writes down the one that is run")
    print(f"licence:    {recipe.licence or unknown}")
    print(f"weights:    {recipe.weights or unknown}")
    print(f"known from: {recipe.source}\n")
    print(_environment(recipe))
    for preset, settings in recipe.presets.items():
        told = ", ".join(f"{key}={value}" for key, value in settings.items()) or "none"
        print(f"preset {preset}: {told} ({recipe.origins.get(preset, 'origin not known')})")
    if recipe.prefix:
        print(f"every instruction begins with: {recipe.prefix!r}")
    if recipe.note:
        print(f"note: {recipe.note}")
    if recipe.kind == "function":
        rest = ":" if recipe.entry else " and fill it in:"
        text = recipe.entry.lstrip() or recipes.TEMPLATE
        print(f"\nput this into CHECKOUT/editgauge_entry.py{rest}\n\n{text}")
    print(f"\nnext: editgauge recipe run {recipe.name} CHECKOUT --python ENV/bin/python")


def _environment(recipe: Recipe) -> str:
    """The environment as the commands that make it, in their order."""
    folder = recipe.repository.rsplit("/", 1)[-1]
    lines = [
        f"git clone {recipe.repository or 'REPOSITORY'} && cd {folder or 'REPOSITORY'}",
        f"python{recipe.python} -m venv env && . env/bin/activate",
        *recipe.install,
    ]
    return "\n".join(f"  {line}" for line in lines) + "\n"


def run(
    name: Annotated[str, typer.Argument(help="See: editgauge recipe list")],
    checkout: Annotated[Path, typer.Argument(help="A checkout of the model's repository.")],
    preset: Annotated[str, typer.Option(help="A preset of the recipe.")] = "default",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value in a preset's place.")
    ] = None,
    python: Annotated[
        str, typer.Option(help="The Python of the model's environment; default: this one.")
    ] = "",
    to: Annotated[
        Path | None, typer.Option(help="The file that is written for the driver.")
    ] = None,
) -> None:
    """Write what the driver needs, and print the command that edits with the model."""
    from editgauge.editors import recipes
    from editgauge.store.selection import settings as parsed

    recipe = recipes.load(name)
    settings = recipes.settings_of(recipe, preset, parsed(set_ or ()))
    target = (to or Path(f"{recipe.name}.json")).absolute()
    words = recipes.prepare(recipe, checkout, settings, target)
    commit = recipes.commit_of(checkout)
    program = shlex.join([python or sys.executable, *words])
    print(f"written: {target}")
    print(f"commit:  {commit or 'not known: the folder is no git checkout'}")
    print(recipes.NOT_RUN)
    named = f"{recipe.name}-{commit[:12]}" if commit else recipe.name
    print(
        f"next:    editgauge edit BENCHMARK DATA --editor command --run RUN "
        f"--set program={shlex.quote(program)} --set name={shlex.quote(named)}"
    )
