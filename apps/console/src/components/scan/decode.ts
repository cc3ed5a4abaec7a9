import { prepareZXingModule, BarcodeDetector as WasmDetector } from 'barcode-detector/ponyfill';
import decoderURL from 'zxing-wasm/reader/zxing_reader.wasm?url';

interface Detector {
  detect(image: ImageBitmapSource): Promise<readonly { rawValue: string }[]>;
}

interface DetectorClass {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
}

/** What makers print on devices. */
const wanted = ['qr_code', 'data_matrix', 'aztec', 'code_128'];

/** The detector of the browser if it reads QR codes, else ours. */
async function createDetector(): Promise<Detector> {
  const Native = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
  const formats = (await Native?.getSupportedFormats().catch(() => [])) ?? [];
  if (Native && formats.includes('qr_code')) {
    return new Native({ formats: wanted.filter((format) => formats.includes(format)) });
  }
  // Without this it loads the decoder from another server.
  prepareZXingModule({ overrides: { locateFile: () => decoderURL } });
  const Ours = WasmDetector as unknown as DetectorClass;
  return new Ours({ formats: wanted });
}

let detector: Promise<Detector> | undefined;

/** The texts of the codes in a picture. */
export async function codesIn(picture: ImageBitmapSource): Promise<string[]> {
  detector ??= createDetector();
  const codes = await (await detector).detect(picture);
  return codes.map(({ rawValue }) => rawValue).filter((text) => text !== '');
}
