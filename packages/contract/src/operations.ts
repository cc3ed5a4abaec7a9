import { alert, alertReceiver, alertRule, mail } from './alert.ts';
import { apiKey } from './api-key.ts';
import { application } from './application.ts';
import { attention, overview } from './attention.ts';
import { audit } from './audit.ts';
import { codecRun } from './codec-run.ts';
import { codecVector } from './codec-vector.ts';
import { connecting } from './connecting.ts';
import { delivery } from './delivery.ts';
import { device } from './device.ts';
import { devicePlace } from './device-place.ts';
import { deviceProfile } from './device-profile.ts';
import { deviceQueue } from './device-queue.ts';
import { downlink } from './downlink.ts';
import { downlinkPayload } from './downlink-payload.ts';
import { download } from './download.ts';
import { fileImport } from './file-import.ts';
import { firstSteps } from './first-steps.ts';
import { gateway } from './gateway.ts';
import { gatewayAirtime } from './gateway-airtime.ts';
import { gatewayAvailability } from './gateway-availability.ts';
import { gatewayCertificate } from './gateway-certificate.ts';
import { gatewayDiscovery } from './gateway-discovery.ts';
import { gatewayPlace } from './gateway-place.ts';
import { gatewayProfile } from './gateway-profile.ts';
import { gatewayReplacement } from './gateway-replacement.ts';
import { history } from './history.ts';
import { importV3 } from './import-v3.ts';
import { instance } from './instance.ts';
import { gatewayIntegration } from './integrations/gateway-http.ts';
import { integration } from './integrations/signing-secret.ts';
import { integrity } from './integrity.ts';
import { internal } from './internal.ts';
import { invitation } from './invitation.ts';
import { job } from './job.ts';
import { joinDoctor } from './join-doctor.ts';
import { codecImport, library } from './library.ts';
import { deviceCount, gatewayCount } from './list-count.ts';
import { listening } from './listening.ts';
import { mqtt } from './mqtt.ts';
import { multicastGroup } from './multicast-group.ts';
import { networkServer } from './network-server.ts';
import type { Operation } from './operation.ts';
import { organization } from './organization.ts';
import { profileDefaults } from './profile-defaults.ts';
import { profileUplink } from './profile-uplink.ts';
import { radio } from './radio.ts';
import { secondFactor } from './second-factor.ts';
import { series } from './series.ts';
import { serviceProfile } from './service-profile.ts';
import { session } from './session.ts';
import { simulatedUplink } from './simulated-uplink.ts';
import { storage } from './storage.ts';
import { traffic } from './traffic.ts';
import { trash } from './trash.ts';
import { unknownDevice } from './unknown-device.ts';
import { user } from './user.ts';
import { view } from './view.ts';

/** The whole API: `operations.device.getKeys`. */
export const operations = {
  internal,
  apiKey,
  session,
  secondFactor,
  integrity,
  instance,
  storage,
  importV3,
  firstSteps,
  user,
  organization,
  invitation,
  networkServer,
  radio,
  gatewayProfile,
  serviceProfile,
  deviceProfile,
  profileDefaults,
  codecRun,
  codecVector,
  profileUplink,
  library,
  codecImport,
  fileImport,
  gateway,
  gatewayPlace,
  gatewayCount,
  traffic,
  attention,
  overview,
  gatewayCertificate,
  gatewayReplacement,
  gatewayAirtime,
  gatewayAvailability,
  connecting,
  unknownDevice,
  gatewayDiscovery,
  application,
  delivery,
  integration,
  gatewayIntegration,
  mqtt,
  device,
  deviceCount,
  devicePlace,
  view,
  deviceQueue,
  downlink,
  downlinkPayload,
  simulatedUplink,
  listening,
  history,
  joinDoctor,
  series,
  download,
  job,
  multicastGroup,
  trash,
  alertRule,
  alert,
  alertReceiver,
  mail,
  audit,
} as const;
export type Operations = typeof operations;

/** Every operation in one list. */
export const allOperations: readonly Operation[] = Object.values(operations).flatMap((resource) =>
  Object.values<Operation>(resource),
);
