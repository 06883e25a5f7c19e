x = 1  # A process and
#      its clock: his may be wrong.
