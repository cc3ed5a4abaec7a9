import type { CodecVector, DeviceProfile } from '@hilltop/contract';

/** A part of a file that could not be used. `line` is 0 where no line is at fault. */
export interface FileProblem {
  file: string;
  line: number;
  text: string;
}

/** The files of a folder or ZIP file by their path, and those that were skipped. */
export interface FileSet {
  files: ReadonlyMap<string, Uint8Array>;
  problems: readonly FileProblem[];
  /** Identifies the version of the files: the commit that a ZIP file of GitHub names, else a digest. */
  version: string;
}

/** What a model declares for one region. */
export interface ModelProfile {
  /** The name of its file, without extension. */
  id: string;
  /** The name of the region as in `packages/lorawan`; empty for a profile that fits every region. */
  region: string;
  /** The profile ID that the vendor has given it, as printed on QR codes; 0 for none. */
  vendorProfileID: number;
  deviceProfile: Partial<DeviceProfile>;
}

export interface ModelFirmware {
  version: string;
  /** The key of the codec; empty for none. */
  codec: string;
  profiles: readonly ModelProfile[];
}

export interface CatalogueModel {
  id: string;
  vendor: string;
  name: string;
  description: string;
  productURL: string;
  documentationURL: string;
  firmwares: readonly ModelFirmware[];
}

export interface CatalogueCodec {
  /** `vendor/file.js`. */
  id: string;
  vendor: string;
  script: string;
  vectors: readonly CodecVector[];
  /** Lines of its first comment about copyright and licence. */
  copyright: string;
}

export interface CatalogueVendor {
  /** The name of its folder. */
  id: string;
  name: string;
  /** The ID that the LoRa Alliance has assigned; 0 for none. */
  vendorID: number;
  homepage: string;
  /** The text of its own licence file; empty when the licence of the catalogue applies. */
  license: string;
}

export interface Catalogue {
  version: string;
  license: string;
  vendors: readonly CatalogueVendor[];
  codecs: readonly CatalogueCodec[];
  models: readonly CatalogueModel[];
  problems: readonly FileProblem[];
}

/** The scripts and test vectors of one codec, in the layout of a vendor. */
export interface ImportedCodec {
  payloadDecoderScript: string;
  payloadEncoderScript: string;
  vectors: readonly CodecVector[];
  remarks: readonly FileProblem[];
}

/** A sentence for users: the whole input cannot be used. */
export class UnusableFiles extends Error {}
