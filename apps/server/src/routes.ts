import { type Operation, type Operations, operations } from '@hilltop/contract';
import type { Handler, Handlers } from './http/call.ts';
import type { OperationHandlers } from './http/operations.ts';
import { alertReceiverRoutes, alertRoutes } from './resources/alert/routes.ts';
import { alertRuleRoutes } from './resources/alert-rule/routes.ts';
import { apiKeyRoutes } from './resources/api-key/routes.ts';
import { applicationRoutes } from './resources/application/routes.ts';
import { attentionRoutes, overviewRoutes } from './resources/attention/routes.ts';
import { auditRoutes } from './resources/audit/routes.ts';
import { codecRunRoutes } from './resources/codec/routes.ts';
import { connectingRoutes } from './resources/connecting/routes.ts';
import { forwardToLeaseHolder } from './resources/delivery/forward-to-lease-holder.ts';
import { deliveryRoutes } from './resources/delivery/routes.ts';
import { deviceRoutes } from './resources/device/routes.ts';
import { devicePlaceRoutes } from './resources/device-place/routes.ts';
import { codecVectorRoutes } from './resources/device-profile/codec-vectors.ts';
import { profileDefaultsRoutes } from './resources/device-profile/defaults.ts';
import { deviceProfileRoutes } from './resources/device-profile/routes.ts';
import { profileUplinkRoutes } from './resources/device-profile/uplinks.ts';
import { downlinkPayloadRoutes } from './resources/device-queue/convert.ts';
import { deviceQueueRoutes } from './resources/device-queue/routes.ts';
import { downlinkRoutes } from './resources/downlink/routes.ts';
import { downloadRoutes } from './resources/download/routes.ts';
import { fileImportRoutes } from './resources/file-import/routes.ts';
import { firstStepsRoutes } from './resources/first-steps/routes.ts';
import { gatewayAvailabilityRoutes } from './resources/gateway/availability.ts';
import { gatewayCertificateRoutes } from './resources/gateway/certificates.ts';
import { gatewayDiscoveryRoutes } from './resources/gateway/discovery.ts';
import { gatewayReplacementRoutes } from './resources/gateway/replace.ts';
import { gatewayRoutes } from './resources/gateway/routes.ts';
import { gatewayAirtimeRoutes } from './resources/gateway-airtime/routes.ts';
import { gatewayPlaceRoutes } from './resources/gateway-place/routes.ts';
import { gatewayProfileRoutes } from './resources/gateway-profile/routes.ts';
import { historyRoutes } from './resources/history/routes.ts';
import { importV3Routes } from './resources/import-v3/routes.ts';
import { instanceRoutes } from './resources/instance/routes.ts';
import { gatewayIntegrationRoutes } from './resources/integration/gateway-routes.ts';
import { signingSecretRoutes } from './resources/integration/signing-secret.ts';
import { integrityRoutes } from './resources/integrity/routes.ts';
import { internalRoutes } from './resources/internal/routes.ts';
import { invitationRoutes } from './resources/invitation/routes.ts';
import { jobRoutes } from './resources/job/routes.ts';
import { joinDoctorRoutes } from './resources/join-doctor/routes.ts';
import { codecImportRoutes, libraryRoutes } from './resources/library/routes.ts';
import { deviceCountRoutes, gatewayCountRoutes } from './resources/list-count/routes.ts';
import { listeningRoutes } from './resources/listening/routes.ts';
import { mailRoutes } from './resources/mail/routes.ts';
import { mqttRoutes } from './resources/mqtt/routes.ts';
import { multicastGroupRoutes } from './resources/multicast-group/routes.ts';
import { networkServerRoutes } from './resources/network-server/routes.ts';
import { organizationRoutes } from './resources/organization/routes.ts';
import { radioRoutes } from './resources/radio/routes.ts';
import { trashRoutes } from './resources/restore/routes.ts';
import { secondFactorRoutes } from './resources/second-factor/routes.ts';
import { seriesRoutes } from './resources/series/routes.ts';
import { serviceProfileRoutes } from './resources/service-profile/routes.ts';
import { sessionRoutes } from './resources/session/routes.ts';
import { simulatedUplinkRoutes } from './resources/simulated-uplink/routes.ts';
import { storageRoutes } from './resources/storage/routes.ts';
import { trafficRoutes } from './resources/traffic/routes.ts';
import { unknownDeviceRoutes } from './resources/unknown-device/routes.ts';
import { userRoutes } from './resources/user/routes.ts';
import { viewRoutes } from './resources/view/routes.ts';

/** One line per resource: the handlers of its operations. */
const resources = {
  internal: internalRoutes,
  apiKey: apiKeyRoutes,
  session: sessionRoutes,
  secondFactor: secondFactorRoutes,
  integrity: integrityRoutes,
  instance: instanceRoutes,
  storage: storageRoutes,
  importV3: importV3Routes,
  firstSteps: firstStepsRoutes,
  user: userRoutes,
  organization: organizationRoutes,
  invitation: invitationRoutes,
  networkServer: networkServerRoutes,
  radio: radioRoutes,
  gatewayProfile: gatewayProfileRoutes,
  serviceProfile: serviceProfileRoutes,
  deviceProfile: deviceProfileRoutes,
  profileDefaults: profileDefaultsRoutes,
  codecRun: codecRunRoutes,
  codecVector: codecVectorRoutes,
  profileUplink: profileUplinkRoutes,
  library: libraryRoutes,
  codecImport: codecImportRoutes,
  fileImport: fileImportRoutes,
  gateway: gatewayRoutes,
  gatewayPlace: gatewayPlaceRoutes,
  gatewayCount: gatewayCountRoutes,
  traffic: trafficRoutes,
  attention: attentionRoutes,
  overview: overviewRoutes,
  gatewayCertificate: gatewayCertificateRoutes,
  gatewayReplacement: gatewayReplacementRoutes,
  gatewayAirtime: gatewayAirtimeRoutes,
  gatewayAvailability: gatewayAvailabilityRoutes,
  connecting: connectingRoutes,
  unknownDevice: unknownDeviceRoutes,
  gatewayDiscovery: gatewayDiscoveryRoutes,
  application: applicationRoutes,
  delivery: (needs: Parameters<typeof forwardToLeaseHolder>[0] & Parameters<typeof deliveryRoutes>[0]) =>
    forwardToLeaseHolder(needs, deliveryRoutes(needs)),
  integration: signingSecretRoutes,
  gatewayIntegration: gatewayIntegrationRoutes,
  mqtt: mqttRoutes,
  device: deviceRoutes,
  deviceCount: deviceCountRoutes,
  devicePlace: devicePlaceRoutes,
  view: viewRoutes,
  deviceQueue: deviceQueueRoutes,
  downlink: downlinkRoutes,
  downlinkPayload: downlinkPayloadRoutes,
  simulatedUplink: simulatedUplinkRoutes,
  listening: listeningRoutes,
  history: historyRoutes,
  joinDoctor: joinDoctorRoutes,
  series: seriesRoutes,
  download: downloadRoutes,
  job: jobRoutes,
  multicastGroup: multicastGroupRoutes,
  trash: trashRoutes,
  alertRule: alertRuleRoutes,
  alert: alertRoutes,
  alertReceiver: alertReceiverRoutes,
  mail: mailRoutes,
  audit: auditRoutes,
} satisfies { [R in keyof Operations]: (needs: never) => Handlers<Operations[R]> };

/** The dependencies of all resources: the intersection of their dependencies. */
export type RoutesDependencies = [(typeof resources)[keyof Operations]] extends [(needs: infer Dependencies) => unknown]
  ? Dependencies
  : never;

/** The handler of each unary operation. */
export function createHandlers(needs: RoutesDependencies): OperationHandlers {
  const handlers = new Map<Operation, Handler<Operation>>();
  for (const [resource, routes] of Object.entries(resources)) {
    const ofResource = routes(needs as never) as Readonly<Record<string, unknown>>;
    for (const [verb, operation] of Object.entries<Operation>(operations[resource as keyof Operations]))
      if (!operation.stream) handlers.set(operation, ofResource[verb] as Handler<Operation>);
  }
  return handlers;
}
