import { expect, it } from 'vitest';
import { nearestRoute } from './nearest-route.ts';

const [dashboard, users, organizations, organization, applications, application, device] = [
  '/dashboard',
  '/users',
  '/organizations',
  '/organizations/$organizationID',
  '/organizations/$organizationID/applications',
  '/organizations/$organizationID/applications/$applicationID',
  '/organizations/$organizationID/applications/$applicationID/devices/$devEUI',
].map((fullPath) => ({ fullPath }));
const all = [dashboard!, users!, organizations!, organization!, device!, application!, applications!];

it('prefers routes below the current page, and the first of equal ones', () => {
  const order = (address: string) => {
    const rest = new Set(all);
    return all.map(() => {
      const next = nearestRoute([...rest], address)!;
      rest.delete(next);
      return next;
    });
  };
  expect(order(applications!.fullPath)).toEqual([
    ...[applications, application, device],
    ...[organization, organizations],
    ...[dashboard, users],
  ]);
  expect(order('/users')).toEqual([users, dashboard, organizations, organization, applications, application, device]);
  expect(nearestRoute([], '/')).toBeUndefined();
});
