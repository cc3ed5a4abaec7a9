/** The API, declared once: operations, messages, access, errors, and what is derived from them. */
export * from './access.ts';
export {
  Alert,
  AlertChannel,
  type AlertChannelKind,
  type AlertComparison,
  type AlertConditionName,
  AlertMessage,
  AlertRule,
  AlertRuleListItem,
  type AlertStateName,
  type AlertSubjectKind,
  type AlertSubscription,
  AlertTestResult,
  type AlertUnsubscribedFrom,
  AlertValue,
  alertDays,
  alertRepeatChoices,
  alertStates,
  mostAlertReceivers,
  mostAlertRules,
  mostAlertSubjects,
} from './alert.ts';
export { alertConditions } from './alert-conditions.ts';
export { answerText } from './answer-text.ts';
export { APIKey } from './api-key.ts';
export { keyAccessChoices, replacedKeyHours } from './api-key-access.ts';
export { Application, ApplicationListItem, IntegrationListItem } from './application.ts';
export type { AttentionCount, AttentionItem, Snooze } from './attention.ts';
export {
  type AuditActorKind,
  type AuditChange,
  type AuditEntry,
  type AuditSecretChange,
  auditActorKinds,
  auditLimits,
} from './audit.ts';
export {
  type AuditEventName,
  type AuditSubjectKind,
  auditEvents,
  auditedReads,
  auditSubject,
  auditSubjectKinds,
  auditSubjects,
} from './audit-subjects.ts';
export {
  type AuditedSubject,
  auditedSubject,
  hasChangesInResponse,
  includeBefore,
  isAudited,
  isCreation,
  notAudited,
  readOperationOf,
} from './audited.ts';
export { ClientCertificate, mostClientCertificates } from './client-certificate.ts';
export { CodecDirection, CodecRunInput, CodecRunResult, CreateCodecRunRequest } from './codec-run.ts';
export { CodecVector, vectorProblem } from './codec-vector.ts';
export {
  type ConditionName,
  type ConditionSeverity,
  type ConditionSubject,
  conditionNames,
  conditionOf,
  conditionSubjects,
  conditions,
} from './conditions.ts';
export { GatewayListener, UnknownGateway } from './connecting.ts';
export { byteOrderMark, type CSVCell, csvLine } from './csv.ts';
export {
  DeadLetter,
  DeliveredEvent,
  DeliveryAttempt,
  DeliveryHour,
  DeliveryStatus,
  Replay,
  SetDeliveryOptionsRequest,
} from './delivery.ts';
export { answerBytes, describedServices, grpcPath, parseRequestBytes } from './derive/binary.ts';
export type { ConsoleFacts, FieldFacts, IntegrationFacts, MessageFacts } from './derive/console-facts.ts';
export { documentNames, mergedSwaggerDocument, type SwaggerDocument, swaggerDocument } from './derive/swagger.ts';
export {
  Device,
  DeviceActivation,
  type DeviceEventItem,
  type DeviceInclude,
  DeviceKeys,
  DeviceListItem,
  DeviceStats,
  deviceName,
  StreamDeviceEventLogsResponse,
} from './device.ts';
export { DevicePlace } from './device-place.ts';
export { DeviceProfile, DeviceProfileListItem } from './device-profile.ts';
export { DeviceQueueItem, mostQueuedBytes } from './device-queue.ts';
export { Downlink, type DownlinkState, DownlinkStep, downlinkStates } from './downlink.ts';
export { type DownloadFormatName, type DownloadKindName, downloadKinds } from './download.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { enoughMargin } from './enough-margin.ts';
export * from './errors.ts';
export type { EventNote, MacCommandNote } from './event-note.ts';
export type * from './events.ts';
export { deviceExport, gatewayExport } from './file-export.ts';
export {
  FileImport,
  type FileImportKind,
  type FileImportRow,
  importAccess,
  importFields,
  importKeys,
  importMaps,
  UpdateImportRequest,
  UploadImportRequest,
} from './file-import.ts';
export {
  type Filter,
  type FilterField,
  type FilterFields,
  type FilterOperator,
  filterMoment,
  filterOperators,
  filterTexts,
  formatFilter,
  mostFilters,
  operatorsOf,
  parseFilter,
} from './filter.ts';
export { AddDeviceRequest, FirstSteps } from './first-steps.ts';
export {
  DownlinkFrameLog,
  DownlinkTXInfo,
  type FrameLogItem,
  StreamDeviceFrameLogsResponse,
  StreamGatewayFrameLogsResponse,
  UplinkFrameLog,
  UplinkRXInfo,
  UplinkTXInfo,
} from './frame-log.ts';
export {
  Gateway,
  GatewayBoard,
  GatewayConnection,
  GatewayListItem,
  GatewayStats,
  gatewayOnlineMs,
  PingRX,
} from './gateway.ts';
export {
  AirtimeChannel,
  AirtimeDevice,
  AirtimeNetwork,
  AirtimeStep,
  AirtimeSubBand,
  airtimeKeptDays,
  ListedAirtime,
  mostListedAirtimeDays,
} from './gateway-airtime.ts';
export {
  AvailabilityDay,
  DependentDevice,
  GatewayAvailability,
  GatewayOutage,
  mostAvailabilityHourDays,
  outagesKeptDays,
} from './gateway-availability.ts';
export { GatewayDiscovery } from './gateway-discovery.ts';
export { type GatewayEventType, gatewayEventTypes } from './gateway-event.ts';
export { GatewayPlace } from './gateway-place.ts';
export { GatewayProfile, GatewayProfileExtraChannel, GatewayProfileListItem } from './gateway-profile.ts';
export { CreateGatewayReplacementRequest } from './gateway-replacement.ts';
export { HistoryEvent, HistoryFrame } from './history.ts';
export { historyKinds, type OwnKind, ownKinds, recordedKinds } from './history-kinds.ts';
export { importLimits } from './import-limits.ts';
export { ImportV3Report } from './import-v3.ts';
export { Instance, InstanceFigures } from './instance.ts';
export { AWSSNSIntegration } from './integrations/aws-sns.ts';
export {
  AzureServiceBusIntegration,
  type ServiceBusConnection,
  serviceBusConnectionOf,
} from './integrations/azure-service-bus.ts';
export { GatewayHTTPIntegration, gatewayHTTP, sendsGatewayEvent } from './integrations/gateway-http.ts';
export { GCPPubSubIntegration, type ServiceAccount, serviceAccountOf } from './integrations/gcp-pub-sub.ts';
export { HTTPIntegration, HTTPIntegrationHeader, headersOfConnection } from './integrations/http.ts';
export { InfluxDBIntegration } from './integrations/influxdb.ts';
export { endedSentence, type IntegrationKind, unchangedSecret } from './integrations/kind.ts';
export { findKind, type IntegrationKindName, type IntegrationKinds, integrationKinds } from './integrations/kinds.ts';
export { LoRaCloudIntegration } from './integrations/loracloud.ts';
export { MyDevicesIntegration } from './integrations/mydevices.ts';
export { PilotThingsIntegration } from './integrations/pilot-things.ts';
export { ThingsBoardIntegration } from './integrations/thingsboard.ts';
export { serversIn, shownURL, urlsIn } from './integrations/url.ts';
export {
  GlobalSearchResult,
  LoginRequest,
  OrganizationLink,
  type Profile,
  ProfileResponse,
  type Settings,
  SettingsResponse,
} from './internal.ts';
export {
  CreateInvitationRequest,
  Invitation,
  InvitationPreview,
  invitationDays,
  mostInvitations,
  RegisterInvitedRequest,
} from './invitation.ts';
export { Job, JobAction, type JobOutcomeName, JobRefusal, JobRow, JobSelection } from './job.ts';
export {
  type JobKindFacts,
  type JobKindName,
  type JobStateName,
  jobKindFacts,
  jobKinds,
  jobStates,
  mostJobIDs,
  mostJobRows,
  undoDays,
} from './job-kinds.ts';
export {
  type JoinCheck,
  type JoinCheckName,
  type JoinFindingName,
  type JoinFix,
  type JoinRequestItem,
  joinChecks,
  joinFindings,
  joinFindingText,
} from './join-doctor.ts';
export {
  CreateCodecImportRequest,
  CreateLibraryProfileRequest,
  Library,
  LibraryModel,
  LibraryModelListItem,
  LibraryProfileChange,
  LibraryProfileUse,
  LibraryUpdate,
  largestLibraryFile,
  PublishLibraryModelRequest,
  UploadLibraryRequest,
} from './library.ts';
export type { DeviceCounts, GatewayCounts } from './list-count.ts';
export {
  type DeviceCountName,
  deviceCounts,
  deviceFilters,
  type GatewayCountName,
  gatewayCounts,
  gatewayFilters,
  type ListCount,
  lowBatteryPercent,
} from './list-fields.ts';
export { Listening } from './listening.ts';
export { Location } from './location.ts';
export { type FrameFilter, type FrameKind, frameKindOf, frameKinds, matchesFrames } from './matches-frames.ts';
export { type FilteredEvent, type HistoryFilter, matchesHistory } from './matches-history.ts';
export { MQTTAccess, MQTTAddress, MQTTClient } from './mqtt.ts';
export { MulticastGroup, MulticastGroupListItem, MulticastQueueItem } from './multicast-group.ts';
export { ADRAlgorithm, NetworkServer, NetworkServerListItem } from './network-server.ts';
export { type NotServed, notServed } from './not-served.ts';
export {
  hasBody,
  type InputOf,
  isPublic,
  type Method,
  type Operation,
  type OrderBy,
  type PathParameter,
  pathParameters,
  type RequestOf,
  type ResponseOf,
  routePath,
  type SortableBy,
} from './operation.ts';
export { allOperations, type Operations, operations } from './operations.ts';
export {
  Organization,
  OrganizationListItem,
  OrganizationUser,
  OrganizationUserListItem,
  type OwnLimits,
} from './organization.ts';
export { longestField, mostFields, type OwnFieldName, ownFieldOf, ownFields } from './own-fields.ts';
export { complete, emptyValue, parseMessage } from './parse-message.ts';
export { parseRequest, type RawRequest } from './parse-request.ts';
export { ProfileUplink } from './profile-uplink.ts';
export { isMeasured, type Quantities, type Quantity, quantityOfField, quantityOfKind } from './quantity.ts';
export {
  CreateEmbeddedNetworkServerRequest,
  RadioChannel,
  RadioEffect,
  RadioPlan,
  RadioPlanChannel,
  RadioSettings,
} from './radio.ts';
export { recordLimits } from './record-limits.ts';
export { descriptionLength } from './rules.ts';
export { isSameJSON } from './same-json.ts';
export {
  ConfirmSecondFactorRequest,
  CreateSecondFactorRequest,
  RemoveSecondFactorRequest,
  SecondFactor,
} from './second-factor.ts';
export {
  mostSeriesDays,
  type Series,
  SeriesField,
  seriesPoints,
} from './series.ts';
export { ServiceProfile, ServiceProfileListItem } from './service-profile.ts';
export { Session, SignInPage } from './session.ts';
export {
  isSimulated,
  SendSimulatedUplinkRequest,
  SimulatedUplinkOptions,
  simulatedGatewayID,
  simulatedTag,
} from './simulated-uplink.ts';
export type { StorageUse, StoredBackup } from './storage.ts';
export { type StoragePartName, storageParts } from './storage-parts.ts';
export { Traffic, TrafficHour } from './traffic.ts';
export {
  mostTrashRefusals,
  type TrashCount,
  TrashEntry,
  type TrashedName,
  type TrashKindName,
  type TrashRefusal,
  trashedNames,
  trashKinds,
} from './trash.ts';
export { UnknownDevice, unknownDeviceDays } from './unknown-device.ts';
export { CreateUserRequest, UpdateUserPasswordRequest, User, UserListItem, UserOrganization } from './user.ts';
export { mostViews, View, type ViewList } from './view.ts';
export { type Facts, type Field, type Message, type PartOf, protoName, type ValueOf } from './wire.ts';
