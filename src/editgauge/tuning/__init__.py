"""Does learning help? An editor fine-tuned on a few samples of a task, and tested on the others
(MedEBench, arXiv 2506.01921, section 3.4 and appendix F).
"""
