/** How a resource is shown in the navigation. */
interface Shown {
  /** Replaces the name of the resource. */
  label?: string;
  /** Current only at exactly this address. */
  exact?: boolean;
  /** Its group in the navigation of an organization: by how often it is used. */
  group?: 'daily' | 'set-up';
}

/** Global resources, in the order of the navigation. Addresses, titles and screens use these names. */
export const ofEverything = {
  networkServer: {},
  gatewayProfile: {},
  // The pages of organizations are in the organization block of the navigation.
  organization: { exact: true },
  user: { label: 'All users' },
} satisfies Record<string, Shown>;

/** Resources of an organization, in the order of the navigation. */
export const ofOrganizations = {
  serviceProfile: { group: 'set-up' },
  deviceProfile: { group: 'set-up' },
  gateway: { group: 'daily' },
  application: { group: 'daily' },
} satisfies Record<string, Shown>;

/** A resource of the contract with a list, a create form and a page for each object. */
export type Resource = keyof typeof ofEverything | keyof typeof ofOrganizations;

export const resources: Record<Resource, Shown> = { ...ofEverything, ...ofOrganizations };

/** The resource in words and in addresses: `service-profile`. */
export const nounOf = (resource: string): string => resource.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The plural as a heading: `Service-profiles`. */
export const titleOf = (resource: Resource): string =>
  `${resource.charAt(0).toUpperCase()}${nounOf(resource).slice(1)}s`;
