/** Every address of the console, so that a link is a function call and never a string put together by hand. */
const organization = (organizationID: string) => `/organizations/${organizationID}`;
const application = (organizationID: string, applicationID: string) =>
  `${organization(organizationID)}/applications/${applicationID}`;
const device = (organizationID: string, applicationID: string, devEUI: string) =>
  `${application(organizationID, applicationID)}/devices/${devEUI}`;
const gateway = (organizationID: string, gatewayID: string) => `${organization(organizationID)}/gateways/${gatewayID}`;

export const paths = {
  start: () => '/',
  login: () => '/login',
  search: () => '/search',
  dashboard: () => '/dashboard',

  users: () => '/users',
  userCreate: () => '/users/create',
  user: (userID: string) => `/users/${userID}`,
  userPassword: (userID: string) => `/users/${userID}/password`,

  apiKeys: () => '/api-keys',
  apiKeyCreate: () => '/api-keys/create',

  gatewayProfiles: () => '/gateway-profiles',
  gatewayProfileCreate: () => '/gateway-profiles/create',
  gatewayProfile: (gatewayProfileID: string) => `/gateway-profiles/${gatewayProfileID}`,

  networkServers: () => '/network-servers',
  networkServerCreate: () => '/network-servers/create',
  networkServer: (networkServerID: string) => `/network-servers/${networkServerID}`,

  organizations: () => '/organizations',
  organizationCreate: () => '/organizations/create',
  organization,
  organizationEdit: (organizationID: string) => `${organization(organizationID)}/edit`,

  organizationUsers: (organizationID: string) => `${organization(organizationID)}/users`,
  organizationUserCreate: (organizationID: string) => `${organization(organizationID)}/users/create`,
  organizationUser: (organizationID: string, userID: string) => `${organization(organizationID)}/users/${userID}`,

  organizationAPIKeys: (organizationID: string) => `${organization(organizationID)}/api-keys`,
  organizationAPIKeyCreate: (organizationID: string) => `${organization(organizationID)}/api-keys/create`,

  serviceProfiles: (organizationID: string) => `${organization(organizationID)}/service-profiles`,
  serviceProfileCreate: (organizationID: string) => `${organization(organizationID)}/service-profiles/create`,
  serviceProfile: (organizationID: string, serviceProfileID: string) =>
    `${organization(organizationID)}/service-profiles/${serviceProfileID}`,

  deviceProfiles: (organizationID: string) => `${organization(organizationID)}/device-profiles`,
  deviceProfileCreate: (organizationID: string) => `${organization(organizationID)}/device-profiles/create`,
  deviceProfile: (organizationID: string, deviceProfileID: string) =>
    `${organization(organizationID)}/device-profiles/${deviceProfileID}`,

  gateways: (organizationID: string) => `${organization(organizationID)}/gateways`,
  gatewayCreate: (organizationID: string) => `${organization(organizationID)}/gateways/create`,
  gateway,
  gatewayEdit: (organizationID: string, gatewayID: string) => `${gateway(organizationID, gatewayID)}/edit`,
  gatewayCertificate: (organizationID: string, gatewayID: string) =>
    `${gateway(organizationID, gatewayID)}/certificate`,
  gatewayDiscovery: (organizationID: string, gatewayID: string) => `${gateway(organizationID, gatewayID)}/discovery`,
  gatewayFrames: (organizationID: string, gatewayID: string) => `${gateway(organizationID, gatewayID)}/frames`,

  applications: (organizationID: string) => `${organization(organizationID)}/applications`,
  applicationCreate: (organizationID: string) => `${organization(organizationID)}/applications/create`,
  application,
  applicationEdit: (organizationID: string, applicationID: string) =>
    `${application(organizationID, applicationID)}/edit`,

  deviceCreate: (organizationID: string, applicationID: string) =>
    `${application(organizationID, applicationID)}/devices/create`,
  device,
  deviceEdit: (organizationID: string, applicationID: string, devEUI: string) =>
    `${device(organizationID, applicationID, devEUI)}/edit`,
  deviceKeys: (organizationID: string, applicationID: string, devEUI: string) =>
    `${device(organizationID, applicationID, devEUI)}/keys`,
  deviceActivation: (organizationID: string, applicationID: string, devEUI: string) =>
    `${device(organizationID, applicationID, devEUI)}/activation`,
  deviceData: (organizationID: string, applicationID: string, devEUI: string) =>
    `${device(organizationID, applicationID, devEUI)}/data`,
  deviceFrames: (organizationID: string, applicationID: string, devEUI: string) =>
    `${device(organizationID, applicationID, devEUI)}/frames`,
};

/** The organization an address belongs to, or undefined. Any address with /organizations/{digits} chooses it. */
export const organizationOf = (pathname: string): string | undefined => /\/organizations\/(\d+)/.exec(pathname)?.[1];
