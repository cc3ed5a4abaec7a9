/** What the enqueue form holds; `fPort` is empty until a number is typed. */
export interface Downlink {
  fPort: number | '';
  confirmed: boolean;
  data: string;
  jsonObject: string;
}

export const emptyDownlink: Downlink = { fPort: '', confirmed: false, data: '', jsonObject: '' };

/** What is wrong with the bytes of a downlink, or null. They may be missing only when there is an object. */
export function dataProblem(data: string, jsonObject: string): string | null {
  if (data.trim() === '') return jsonObject.trim() === '' ? 'Enter the bytes as base64, or a JSON object.' : null;
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data.trim());
  return isBase64 ? null : 'This is not base64. Four characters stand for three bytes, padded with =.';
}

/** What is wrong with the object of a downlink, or null. */
export function jsonProblem(jsonObject: string): string | null {
  if (jsonObject.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(jsonObject);
    return typeof value === 'object' && value !== null ? null : 'Enter an object, such as {"led": true}.';
  } catch {
    return 'This is not valid JSON.';
  }
}
