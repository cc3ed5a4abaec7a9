/** All addresses of the console: links call these functions and never concatenate paths. */
import {
  nounOf,
  ofEverything as resourcesOfEverything,
  ofOrganizations as resourcesOfOrganizations,
} from './resources.ts';

/** The list, create and detail addresses of a resource below its parent. */
function addresses<Above extends string[]>(above: (...ids: Above) => string, plural: string) {
  const list = (...ids: Above) => `${above(...ids)}/${plural}`;
  const create = (...ids: Above) => `${list(...ids)}/create`;
  const one = (...ids: [...above: Above, id: string]) => `${list(...(ids.slice(0, -1) as Above))}/${ids.at(-1)}`;
  return { list, create, one };
}

const everything = () => '';

/** The same for each resource of a table. */
function addressesOf<Name extends string, Above extends string[]>(
  table: Record<Name, object>,
  above: (...ids: Above) => string,
) {
  const each = Object.keys(table).map((resource) => [resource, addresses(above, `${nounOf(resource)}s`)]);
  return Object.fromEntries(each) as Record<Name, ReturnType<typeof addresses<Above>>>;
}

const ofEverything = addressesOf(resourcesOfEverything, everything);
const organization = ofEverything.organization.one;
const ofOrganizations = addressesOf(resourcesOfOrganizations, organization);

const { gateway, application } = ofOrganizations;
const device = addresses(application.one, 'devices');
const multicastGroup = addresses(application.one, 'multicast-groups');

const integrations = (...ids: [organizationID: string, applicationID: string]) =>
  `${application.one(...ids)}/integrations`;

/** A page below another page. */
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
  applicationAPIKey: addresses(application.one, 'api-keys'),

  deviceLibrary: () => '/device-library',
  deviceProfileFromLibrary: below(ofOrganizations.deviceProfile.list, 'library'),
  instances: () => '/instances',
  storage: () => '/storage',
  movingIn: below(ofEverything.networkServer.list, 'moving-in'),
  networkServerRadio: below(ofEverything.networkServer.one, 'radio'),
  account: () => '/account',
  accountSecurity: () => '/account/security',
  sessions: () => '/account/sessions',
  userPassword: below(ofEverything.user.one, 'password'),
  userSessions: below(ofEverything.user.one, 'sessions'),
  organizationEdit: below(organization, 'edit'),
  organizationTrash: below(organization, 'trash'),
  alerts: below(organization, 'alerts'),
  alertRules: below(organization, 'alerts/rules'),
  alertRuleCreate: below(organization, 'alerts/rules/create'),
  alertRule: (organizationID: string, ruleID: string) => `${organization(organizationID)}/alerts/rules/${ruleID}`,
  confirmAddress: () => '/confirm-address',
  invitation: () => '/invitation',
  unsubscribe: () => '/unsubscribe',
  trash: () => '/trash',
  audit: () => '/audit',
  organizationAudit: below(organization, 'audit'),
  gatewayEvents: (organizationID: string, page: 'edit' | 'deliveries' | 'dead-letters' | 'replay') =>
    `${organization(organizationID)}/gateway-events/${page}`,
  attention: below(organization, 'attention'),
  allAttention: () => '/attention',
  jobs: below(organization, 'jobs'),
  job: (organizationID: string, jobID: string) => `${organization(organizationID)}/jobs/${jobID}`,
  unknown: below(organization, 'unknown'),
  unknownGateways: below(organization, 'unknown/gateways'),
  gatewayConnect: below(gateway.list, 'connect'),
  gatewayEdit: below(gateway.one, 'edit'),
  gatewayCertificate: below(gateway.one, 'certificate'),
  gatewayDiscovery: below(gateway.one, 'discovery'),
  gatewayFrames: below(gateway.one, 'frames'),
  gatewayAirtime: below(gateway.one, 'airtime'),
  gatewaysAirtime: below(gateway.list, 'airtime'),
  applicationEdit: below(application.one, 'edit'),
  integrations,
  /** `kind` in the spelling of URLs, such as `gcp-pubsub`. */
  integration: (
    organizationID: string,
    applicationID: string,
    kind: string,
    page: 'create' | 'edit' | 'deliveries' | 'dead-letters' | 'replay',
  ) => `${integrations(organizationID, applicationID)}/${kind}/${page}`,
  mqttCertificate: below(integrations, 'mqtt/certificate'),
  organizationDevices: below(organization, 'devices'),
  fileImport: below(organization, 'import'),
  allDevices: () => '/devices',
  allGateways: () => '/devices/gateways',
  deviceAdd: below(organization, 'devices/add'),
  deviceLabels: below(application.one, 'labels'),
  deviceEdit: below(device.one, 'edit'),
  deviceKeys: below(device.one, 'keys'),
  deviceActivation: below(device.one, 'activation'),
  deviceTimeline: below(device.one, 'timeline'),
  deviceValues: below(device.one, 'values'),
  deviceData: below(device.one, 'data'),
  deviceFrames: below(device.one, 'frames'),
  multicastGroupEdit: below(multicastGroup.one, 'edit'),
  multicastGroupDownlinks: below(multicastGroup.one, 'downlinks'),
};

/** The application of an address, or undefined. */
export const applicationOf = (pathname: string): string | undefined => /\/applications\/(\d+)/.exec(pathname)?.[1];

/** The organization of an address, or undefined. Any address with /organizations/{digits} selects it. */
export const organizationOf = (pathname: string): string | undefined => /\/organizations\/(\d+)/.exec(pathname)?.[1];
