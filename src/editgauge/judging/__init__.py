"""Vision-language models that read pictures and a rubric."""
