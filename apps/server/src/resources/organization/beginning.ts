/** The organization an installation begins with. */
export const beginning = { name: 'hilltop', displayName: 'Hilltop', canHaveGateways: true } as const;
