"""Moving shapes: when do they touch?"""
