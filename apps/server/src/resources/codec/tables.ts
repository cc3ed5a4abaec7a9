declare module '../../database/tables.ts' {
  interface Tables {
    codec_vectors: CodecVectorsTable;
  }
}

export interface CodecVectorsTable {
  device_profile_id: string;
  /** A JSON list. */
  vectors: string;
}
