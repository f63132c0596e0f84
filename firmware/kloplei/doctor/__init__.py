"""A visit of the doctor: what works in this box and what does not, each with the next step."""

from kloplei.doctor.visit import examine, examine_without_settings

__all__ = ["examine", "examine_without_settings"]
