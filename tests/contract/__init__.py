"""What must not change while rooms are rebuilt: the command line and `editgauge.__all__` alone."""
