/** The organization that a first start creates. */
export const beginning = { name: 'hilltop', displayName: 'Hilltop', canHaveGateways: true } as const;
