"""Controls of a window by their names: where they can be clicked, and what they show."""

import pygame

from engine.ui.form import Form
from engine.ui.rows import Button

__all__ = ["button", "control", "drag", "names", "place"]


def _forms(window):
    """Draw a frame without cached parts, and return the visible forms; only the modal one if there is one."""
    ui = window.screen.ui
    window.screen.cache.forget()
    window.show(pygame.Surface(window.size))
    forms = [ui.modal] if ui.modal is not None else ui.forms
    return [form for form in forms if isinstance(form, Form)]


def names(window):
    """Return the names of all controls."""
    return [item.key[0] for form in _forms(window) for item in form.items]


def control(window, name, nth=0):
    """Return the form and the control with a name or a prefix of it; several are numbered."""
    matches = [(form, item) for form in _forms(window) for item in form.items if item.key[0] == name]
    matches = matches or [(form, item) for form in _forms(window) for item in form.items if item.key[0].startswith(name)]
    assert len(matches) > nth, (name, names(window))
    return matches[nth]


def button(window, name, nth=0):
    """Return a displayed button."""
    what = control(window, name, nth)[1].what
    assert isinstance(what, Button)
    return what


def place(window, name, nth=0):
    """Scroll a control into view, and return its position."""
    form, item = control(window, name, nth)
    if form.at(form.rect(item).center) != item or not form.place.contains(form.rect(item)):
        form.reveal(item.key)
        form, item = control(window, name, nth)
    rect = form.rect(item)
    assert form.at(rect.center) == item, (name, rect, form.place)
    return rect


def drag(hand, name, *shares):
    """Drag a slider to fractions of its track, one frame each."""
    rect = place(hand.window, name)
    xs = [rect.left + 7 + round(share * (rect.width - 14)) for share in shares]
    hand.send(pygame.MOUSEBUTTONDOWN, pos=(xs[0], rect.bottom - 6), button=1)
    for x in xs:
        hand.send(pygame.MOUSEMOTION, pos=(x, rect.bottom - 6), rel=(1, 0), buttons=(1, 0, 0))
    hand.send(pygame.MOUSEBUTTONUP, pos=(xs[-1], rect.bottom - 6), button=1)
