"""Tables and pages made from a run folder; uses nothing heavier than that needs."""
