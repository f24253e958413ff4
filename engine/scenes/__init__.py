"""Scenes as files: worlds as JSON, import of levels from other editors, and CSV tables of a run."""

from engine.scenes.codec import from_plain, to_plain
from engine.scenes.rube import load_rube
from engine.scenes.scene import Scene, SceneWorld, build, build_all, scene_of
from engine.scenes.scene_file import load_scene, save_scene

__all__ = ["Scene", "SceneWorld", "build", "build_all", "from_plain", "load_rube", "load_scene", "save_scene", "scene_of", "to_plain"]
