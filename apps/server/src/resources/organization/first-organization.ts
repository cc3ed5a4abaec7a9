/** The organization that a first start creates. */
export const firstOrganization = { name: 'hilltop', displayName: 'Hilltop', canHaveGateways: true } as const;
