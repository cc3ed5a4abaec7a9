/** How all of a kind are shown in the navigation. */
interface Shown {
  /** Where the name of the resource would not do. */
  label?: string;
  /** Current only at exactly its address. */
  exact?: boolean;
}

/** What there is one collection of, in the order of the navigation. Its addresses, title and screens go by its name. */
export const ofEverything = {
  networkServer: {},
  gatewayProfile: {},
  // The pages of organizations are in the other block.
  organization: { exact: true },
  user: { label: 'All users' },
} satisfies Record<string, Shown>;

/** What each organization has a collection of, in the order of the navigation. */
export const ofOrganizations = {
  serviceProfile: {},
  deviceProfile: {},
  gateway: {},
  application: {},
} satisfies Record<string, Shown>;

/** A resource of the contract with a list, a form for a new one and a page for each. */
export type Resource = keyof typeof ofEverything | keyof typeof ofOrganizations;

export const resources: Record<Resource, Shown> = { ...ofEverything, ...ofOrganizations };

/** Such a resource in words: `service-profile`. Its addresses are made of the same. */
export const nounOf = (resource: string): string => resource.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** All of them as a heading: `Service-profiles`. */
export const titleOf = (resource: Resource): string =>
  `${resource.charAt(0).toUpperCase()}${nounOf(resource).slice(1)}s`;
