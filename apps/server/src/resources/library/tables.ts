declare module '../../database/tables.ts' {
  interface Tables {
    library: LibraryTable;
    library_vendor: LibraryVendorTable;
    library_codec: LibraryCodecTable;
    library_model: LibraryModelTable;
    library_use: LibraryUseTable;
  }
}

/** The installed library: at most one row. */
export interface LibraryTable {
  id: number;
  version: string;
  installed_at: Date;
  source: string;
  license: string;
  /** JSON: names of models by `added`, `changed` and `removed`. */
  changes: string;
  problem_count: number;
  /** JSON: the first problems. */
  problems: string;
}

export interface LibraryVendorTable {
  id: string;
  name: string;
  /** 0 for none. */
  vendor_id: number;
  homepage: string;
  license: string;
}

export interface LibraryCodecTable {
  id: string;
  vendor: string;
  script: string;
  /** JSON: a list of CodecVector. */
  vectors: string;
  vector_count: number;
  pass_count: number;
  copyright: string;
}

/** Models of the installed library, and published device-profiles. */
export interface LibraryModelTable {
  id: string;
  /** The published device-profile; null for a model of the installed library. */
  device_profile_id: string | null;
  /** The folder of the vendor; empty for a published device-profile. */
  vendor: string;
  vendor_name: string;
  vendor_id: number;
  name: string;
  description: string;
  /** Vendor, name and description in lower case. */
  search: string;
  /** `,EU868,US915,`. */
  regions: string;
  /** `,12,13,`. */
  profile_ids: string;
  vector_count: number;
  pass_count: number;
  /** JSON: ModelDetails. */
  details: string;
}

/** The model that a device-profile was created from. */
export interface LibraryUseTable {
  device_profile_id: string;
  model_id: string;
  version: string;
  profile_id: string;
  /** Of what the model declared when the device-profile was created or updated. */
  digest: string;
}
