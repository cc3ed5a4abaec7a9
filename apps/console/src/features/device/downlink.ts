/** The values of the enqueue form; `fPort` is empty until a number is typed. */
export interface Downlink {
  fPort: number | '';
  confirmed: boolean;
  /** The bytes as text in the format of the form. */
  data: string;
  jsonObject: string;
}

export const emptyDownlink: Downlink = { fPort: '', confirmed: false, data: '', jsonObject: '' };
