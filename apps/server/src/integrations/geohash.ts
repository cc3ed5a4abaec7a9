const digits = '0123456789bcdefghjkmnpqrstuvwxyz';

/** The geohash cell of a point: halves longitude and latitude alternately, five bits to a digit. */
export function geohash(latitude: number, longitude: number, length = 12): string {
  const ranges: [[number, number], [number, number]] = [
    [-180, 180],
    [-90, 90],
  ];
  const point = [longitude, latitude] as const;
  let hash = '';
  for (let bit = 0, digit = 0; hash.length < length; bit += 1) {
    const axis = (bit % 2) as 0 | 1;
    const range = ranges[axis];
    const middle = (range[0] + range[1]) / 2;
    const isUpper = point[axis] >= middle;
    range[isUpper ? 0 : 1] = middle;
    digit = digit * 2 + Number(isUpper);
    if (bit % 5 === 4) {
      hash += digits[digit];
      digit = 0;
    }
  }
  return hash;
}
