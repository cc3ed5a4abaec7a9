/** The side of the repeated square, in pixels of the canvas. */
const side = 6;

/** A pattern of diagonal stripes, for bars and cells of a day or hour that is not over. */
export function hatchOf(canvas: CanvasRenderingContext2D, color: string, surface: string): CanvasPattern | string {
  const square = canvas.canvas.ownerDocument.createElement('canvas');
  square.width = side;
  square.height = side;
  const brush = square.getContext('2d');
  if (!brush) return color;
  brush.fillStyle = surface;
  brush.fillRect(0, 0, side, side);
  brush.strokeStyle = color;
  brush.lineWidth = 2;
  brush.beginPath();
  // The stripe and its neighbours, whose corners reach into the square.
  for (const shift of [-side, 0, side]) {
    brush.moveTo(shift - 1, side + 1);
    brush.lineTo(shift + side + 1, -1);
  }
  brush.stroke();
  return canvas.createPattern(square, 'repeat') ?? color;
}
