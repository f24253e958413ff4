// Parts of the page.

export function element(tag, text, color) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (color) made.style.color = color;
  return made;
}

// Give a canvas a pixel for each of the screen's; return its size in CSS pixels.
export function sized(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const [across, down] = [width, height].map((side) => Math.max(Math.round(side * devicePixelRatio), 1));
  if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
  return [Math.max(width, 1), Math.max(height, 1)];
}
