"""Vision-language models that read pictures and a rubric: one chat call, its store, its price, its
replies.
"""
