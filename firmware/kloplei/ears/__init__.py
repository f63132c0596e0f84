"""The ears in the table unit: from what sensors found to the inbox, the review and the tuning."""

from kloplei.ears.review import Review
from kloplei.ears.service import Ears
from kloplei.ears.shelf import Shelf
from kloplei.ears.tuner import Tuner
from kloplei.ears.weighing import Weighing

__all__ = ["Ears", "Review", "Shelf", "Tuner", "Weighing"]
