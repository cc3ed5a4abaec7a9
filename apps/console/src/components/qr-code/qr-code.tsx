import { encode } from 'uqr';

/** The white border that scanners need, in modules. */
const border = 4;

/** A QR code as a drawing that can be printed in any size. */
export function QRCode({ text, label }: { text: string; label: string }) {
  const { size, data } = encode(text, { ecc: 'M', border });
  const path = data.flatMap((row, y) => row.map((isBlack, x) => (isBlack ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
