import math

import numpy as np
import pygame
import pytest

from engine.render.backdrop import draw_scale_bar
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.differences import length_words
from engine.render.fonts import LabelRoom
from engine.render.palette import TEXT

VIEW = (10, 20, 300, 200)


def test_labels_overlap_neither_each_other_nor_the_edge():
    room = LabelRoom(VIEW)
    plate = pygame.Rect(10, 20, 80, 40)
    room.take(plate)
    places = [room.beside((20.0 + 13 * k % 290, 30.0 + 29 * k % 190), (60, 14), 6.0) for k in range(60)]
    placed = [place for place in places if place is not None]
    assert 10 < len(placed) < 60, "some find room, some do not"
    for k, place in enumerate(placed):
        assert pygame.Rect(VIEW).contains(place) and not place.colliderect(plate)
        assert place.collidelist(placed[:k]) < 0


def test_a_label_prefers_the_right_and_keeps_a_distance_from_its_point():
    place = LabelRoom(VIEW).beside((100.0, 100.0), (50, 14), 6.0)
    assert place.left == 106 and place.centery == 100
    place = LabelRoom(VIEW).beside((305.0, 100.0), (50, 14), 6.0)
    assert place.right <= 299


def test_a_label_is_crossed_by_a_line_only_if_every_position_is():
    """Issue 31: edges crossed the names of corners."""
    room = LabelRoom(VIEW)
    room.keep_off_lines(np.array((((50.0, 100.0), (250.0, 100.0)),)))
    place = room.beside((100.0, 100.0), (50, 14), 6.0)
    assert place.bottom < 100
    room.keep_off_lines(np.array([((x, 20.0), (x, 220.0)) for x in range(20, 300, 10)], dtype=np.float64))
    place = room.beside((200.0, 150.0), (50, 14), 6.0)
    assert (place.left, place.centery) == (206, 150), "the first, as all are crossed"


def test_deferred_labels_avoid_texts_drawn_later():
    canvas = Canvas(pygame.Surface((320, 240)), Camera(view=VIEW))
    canvas.label_last((100.0, 100.0), "a label", TEXT, 11.0, 6.0)
    words = canvas.text_px((106.0, 100.0), "words", TEXT, 11.0, "midleft")
    beside = words.inflate(-2, -2)
    before = pygame.image.tobytes(canvas.surface.subsurface(beside), "RGB")
    canvas.room.settle()
    assert pygame.image.tobytes(canvas.surface.subsurface(beside), "RGB") == before
    assert canvas.room.has_words(words) and any(pygame.transform.average_color(canvas.surface.subsurface((20, 90, 78, 20)))[:3])
    after = pygame.image.tobytes(canvas.surface, "RGB")
    canvas.room.settle()
    assert pygame.image.tobytes(canvas.surface, "RGB") == after  # written once


def test_the_scale_bar_avoids_texts():
    canvas = Canvas(pygame.Surface((320, 240)), Camera(view=VIEW))
    right = draw_scale_bar(canvas)
    assert right.centerx > pygame.Rect(VIEW).centerx
    canvas.room.take(right)
    left = draw_scale_bar(canvas)
    assert left.bottom == right.bottom and left.centerx < pygame.Rect(VIEW).centerx
    canvas.room.take(left)
    assert draw_scale_bar(canvas) == right.move(0, -right.height)
    assert draw_scale_bar(canvas, was_left=True) == left.move(0, -left.height)
    canvas.room.take(pygame.Rect(VIEW))
    assert draw_scale_bar(canvas).size == (0, 0)


@pytest.mark.parametrize("at", [(math.nan, 0.0), (1e9, 1e9), (-500.0, 0.0)])
def test_labels_of_hidden_points_are_omitted(at):
    canvas = Canvas(pygame.Surface((320, 240)), Camera(view=VIEW))
    assert not canvas.label(at, "words", TEXT, 11.0, 5.0)


@pytest.mark.parametrize(
    "meters, words",
    [(0.0, "< 0.1 µm"), (9e-8, "< 0.1 µm"), (2e-7, "0.2 µm"), (9.9e-5, "99.0 µm"), (0.01, "10.00 mm")],
)
def test_a_zero_length_is_formatted(meters, words):
    assert length_words(meters) == words
