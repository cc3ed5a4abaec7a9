/** The pages of the built-in documentation that Help opens, by their name below `/docs/`. */
const titles = {
  '': 'Documentation',
  'quick-start': 'Quick start',
  concepts: 'Concepts',
  gateways: 'Gateways',
  devices: 'Devices',
  integrations: 'Integrations',
  alerts: 'Alerts',
  api: 'API',
  operate: 'Operate',
  settings: 'Settings',
  scaling: 'Scaling',
  security: 'Security',
  'moving-in': 'Moving in from ChirpStack 3',
} as const;

type DocumentationPage = keyof typeof titles;

const organization = '/organizations/$organizationID';

/** The documentation page of each route and of the routes below it. The longest matching path wins. */
export const helpPages: Readonly<Record<string, DocumentationPage>> = {
  '/': '',
  '/dashboard': 'operate',
  '/search': 'concepts',
  '/confirm-address': 'alerts',
  '/invitation': 'security',
  '/unsubscribe': 'alerts',
  '/instances': 'scaling',
  '/storage': 'operate',
  '/trash': 'operate',
  '/audit': 'security',
  '/attention': 'operate',
  '/network-servers': 'concepts',
  '/network-servers/moving-in': 'moving-in',
  '/network-servers/$networkServerID/radio': 'settings',
  '/gateway-profiles': 'gateways',
  '/users': 'security',
  '/devices': 'devices',
  '/devices/gateways': 'gateways',
  '/device-library': 'devices',
  '/account': 'security',
  '/api-keys': 'api',
  '/organizations': 'concepts',
  [organization]: 'quick-start',
  [`${organization}/edit`]: 'concepts',
  [`${organization}/trash`]: 'operate',
  [`${organization}/audit`]: 'security',
  [`${organization}/attention`]: 'operate',
  [`${organization}/alerts`]: 'alerts',
  [`${organization}/users`]: 'security',
  [`${organization}/api-keys`]: 'api',
  [`${organization}/service-profiles`]: 'concepts',
  [`${organization}/device-profiles`]: 'devices',
  [`${organization}/devices`]: 'devices',
  [`${organization}/unknown`]: 'devices',
  [`${organization}/import`]: 'devices',
  [`${organization}/jobs`]: 'devices',
  [`${organization}/gateways`]: 'gateways',
  [`${organization}/gateway-events`]: 'integrations',
  [`${organization}/applications`]: 'devices',
  [`${organization}/applications/$applicationID/integrations`]: 'integrations',
  [`${organization}/applications/$applicationID/api-keys`]: 'api',
};

const isBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

/** Address and title of the documentation page for the route with this full path. */
export function helpFor(routePath: string): { href: string; title: string } {
  const path = routePath.replace(/\/$/, '');
  const [pattern = '/'] = Object.keys(helpPages)
    .filter((candidate) => isBelow(path, candidate))
    .sort((a, b) => b.length - a.length);
  const page = helpPages[pattern] ?? '';
  return { href: `/docs/${page}`, title: titles[page] };
}
