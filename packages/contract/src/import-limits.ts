/** Limits of a file of devices or gateways. */
export const importLimits = { fileBytes: 10 * 2 ** 20, rows: 50_000, columns: 300 } as const;
