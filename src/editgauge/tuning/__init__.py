"""Does learning help? An editor fine-tuned on a few samples of a task, and tested on the others
(MedEBench, arXiv 2506.01921, section 3.4 and appendix F).

`split` says what is trained on and what is tested, `triplets` makes tensors of it, `training` is
the loop and what survives a kill, `editor` the tuned model as an editor, `command` the whole way.
"""
