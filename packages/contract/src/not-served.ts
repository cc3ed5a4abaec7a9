/**
 * Calls of the recorded API that are not implemented yet. Clients of version 3 build their pages from the documents and
 * break where a call is missing, so the documents include these, too; each responds with code 12 (HTTP 501). An
 * implemented call leaves this table.
 */
import type { Method } from './operation.ts';

export interface NotServed {
  readonly service: string;
  readonly rpc: string;
  readonly document: string;
  readonly method: Method;
  readonly path: string;
  /** Names of its query parameters. */
  readonly query: readonly string[];
}

type Row = readonly [rpc: string, method: Method, path: string, ...query: string[]];

function ofService(document: string, service: string, rows: readonly Row[]): NotServed[] {
  return rows.map(([rpc, method, path, ...query]) => ({ service, rpc, document, method, path, query }));
}

const deployment = '/api/fuota-deployments';

export const notServed: readonly NotServed[] = [
  ...ofService('fuotaDeployment', 'FUOTADeploymentService', [
    ['CreateForDevice', 'POST', '/api/devices/{dev_eui}/fuota-deployments'],
    ['List', 'GET', deployment, 'limit', 'offset', 'applicationID', 'devEUI'],
    ['Get', 'GET', `${deployment}/{id}`],
    ['GetDeploymentDevice', 'GET', `${deployment}/{fuota_deployment_id}/devices/{dev_eui}`],
    ['ListDeploymentDevices', 'GET', `${deployment}/{fuota_deployment_id}/devices`, 'limit', 'offset'],
  ]),
];
