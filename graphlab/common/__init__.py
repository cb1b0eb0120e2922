"""What every layer may use: errors, types of entries, devices and settings.

Read next: common/errors.py
"""
