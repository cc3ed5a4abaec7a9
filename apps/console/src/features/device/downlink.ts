import { base64Problem } from '../../components/downlink/payload.ts';

/** The values of the enqueue form; `fPort` is empty until a number is typed. */
export interface Downlink {
  fPort: number | '';
  confirmed: boolean;
  data: string;
  jsonObject: string;
}

export const emptyDownlink: Downlink = { fPort: '', confirmed: false, data: '', jsonObject: '' };

/** The error of the bytes of a downlink, or null. They may be missing only when there is an object. */
export function dataProblem(data: string, jsonObject: string): string | null {
  if (data.trim() === '') return jsonObject.trim() === '' ? 'Enter the bytes as base64, or a JSON object.' : null;
  return base64Problem(data);
}

/** The error of the object of a downlink, or null. */
export function jsonProblem(jsonObject: string): string | null {
  if (jsonObject.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(jsonObject);
    return typeof value === 'object' && value !== null ? null : 'Enter an object, such as {"led": true}.';
  } catch {
    return 'This is not valid JSON.';
  }
}
