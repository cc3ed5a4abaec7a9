/**
 * The most records of a kind that an organization, or an application in it, can have. The numbers of gateways and
 * devices are fields of the organization.
 */
export const recordLimits = {
  applications: 10_000,
  apiKeys: 1000,
  deviceProfiles: 1000,
  serviceProfiles: 1000,
  multicastGroups: 1000,
} as const;
