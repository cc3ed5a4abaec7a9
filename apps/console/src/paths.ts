/** Every address of the console, so that a link is a function call and never a string put together by hand. */

/** Where one finds all of a kind, makes a new one and sees each one, below what they belong to. */
function addresses<Above extends string[]>(above: (...ids: Above) => string, plural: string) {
  const list = (...ids: Above) => `${above(...ids)}/${plural}`;
  const create = (...ids: Above) => `${list(...ids)}/create`;
  const one = (...ids: [...above: Above, id: string]) => `${list(...(ids.slice(0, -1) as Above))}/${ids.at(-1)}`;
  return { list, create, one };
}

const everything = () => '';

/** What there is one collection of, in the order of the navigation. */
export const ofEverything = {
  networkServer: addresses(everything, 'network-servers'),
  gatewayProfile: addresses(everything, 'gateway-profiles'),
  organization: addresses(everything, 'organizations'),
  user: addresses(everything, 'users'),
};

const organization = ofEverything.organization.one;

/** What each organization has a collection of, in the order of the navigation. */
export const ofOrganizations = {
  serviceProfile: addresses(organization, 'service-profiles'),
  deviceProfile: addresses(organization, 'device-profiles'),
  gateway: addresses(organization, 'gateways'),
  application: addresses(organization, 'applications'),
};

/** A resource of the contract with a list, a form for a new one and a page for each. */
export type Resource = keyof typeof ofEverything | keyof typeof ofOrganizations;

/** Such a resource in words: `service-profile`. Its addresses are made of the same. */
export const nounOf = (resource: Resource): string =>
  resource.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** All of them as a heading: `Service-profiles`. */
export const titleOf = (resource: Resource): string =>
  `${resource.charAt(0).toUpperCase()}${nounOf(resource).slice(1)}s`;

const { gateway, application } = ofOrganizations;
const device = addresses(application.one, 'devices');
const multicastGroup = addresses(application.one, 'multicast-groups');

const integrations = (...ids: [organizationID: string, applicationID: string]) =>
  `${application.one(...ids)}/integrations`;

/** A page below another one. */
const below =
  <IDs extends string[]>(page: (...ids: IDs) => string, name: string) =>
  (...ids: IDs) =>
    `${page(...ids)}/${name}`;

export const paths = {
  start: () => '/',
  login: () => '/login',
  search: () => '/search',
  dashboard: () => '/dashboard',

  ...ofEverything,
  ...ofOrganizations,
  device,
  multicastGroup,
  organizationUser: addresses(organization, 'users'),
  apiKey: addresses(everything, 'api-keys'),
  organizationAPIKey: addresses(organization, 'api-keys'),

  networkServerRadio: below(ofEverything.networkServer.one, 'radio'),
  sessions: () => '/account/sessions',
  userPassword: below(ofEverything.user.one, 'password'),
  organizationEdit: below(organization, 'edit'),
  gatewayEdit: below(gateway.one, 'edit'),
  gatewayCertificate: below(gateway.one, 'certificate'),
  gatewayDiscovery: below(gateway.one, 'discovery'),
  gatewayFrames: below(gateway.one, 'frames'),
  applicationEdit: below(application.one, 'edit'),
  integrations,
  /** `kind` as addresses spell it, such as `gcp-pubsub`. */
  integration: (
    organizationID: string,
    applicationID: string,
    kind: string,
    page: 'create' | 'edit' | 'deliveries' | 'dead-letters' | 'replay',
  ) => `${integrations(organizationID, applicationID)}/${kind}/${page}`,
  mqttCertificate: below(integrations, 'mqtt/certificate'),
  deviceEdit: below(device.one, 'edit'),
  deviceKeys: below(device.one, 'keys'),
  deviceActivation: below(device.one, 'activation'),
  deviceData: below(device.one, 'data'),
  deviceFrames: below(device.one, 'frames'),
  multicastGroupEdit: below(multicastGroup.one, 'edit'),
  multicastGroupDownlinks: below(multicastGroup.one, 'downlinks'),
};

/** The organization an address belongs to, or undefined. Any address with /organizations/{digits} chooses it. */
export const organizationOf = (pathname: string): string | undefined => /\/organizations\/(\d+)/.exec(pathname)?.[1];
