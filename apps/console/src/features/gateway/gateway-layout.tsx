import { Outlet } from '@tanstack/react-router';
import { prefetch } from '../../api/prefetch.ts';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { DeleteResource } from '../../components/resource/delete-resource.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { gatewayTone, toneWords } from '../../components/status/gateway-tone.ts';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { gatewayOf, useGateway } from './use-gateway.ts';

/** The page of one gateway: name, status, and tabs with an address each. */
export function GatewayLayout() {
  const { organizationID, gatewayID } = useIDs();
  const may = useMay();
  const gatewayQuery = useGateway();
  return (
    <Loaded query={gatewayQuery} skeleton={<PageSkeleton />}>
      {({ gateway, lastSeenAt }) => {
        const tone = gatewayTone(lastSeenAt, gatewayQuery.dataUpdatedAt);
        return (
          <>
            <PageHeader
              crumbs={[{ label: 'Gateways', to: paths.gateway.list(organizationID) }]}
              title={gateway.name}
              badges={<Status tone={tone}>{toneWords[tone]}</Status>}
              actions={<DeleteResource of="gateway" id={gatewayID} name={gateway.name} />}
              tabs={[
                { label: 'Gateway details', to: paths.gateway.one(organizationID, gatewayID), exact: true },
                {
                  label: 'Gateway configuration',
                  to: paths.gatewayEdit(organizationID, gatewayID),
                  hidden: !may('gateway.update'),
                },
                {
                  label: 'Certificate',
                  to: paths.gatewayCertificate(organizationID, gatewayID),
                  hidden: !may('gateway.generateGatewayClientCertificate'),
                },
                {
                  label: 'Gateway discovery',
                  to: paths.gatewayDiscovery(organizationID, gatewayID),
                  disabled: gateway.discoveryEnabled ? undefined : 'Gateway discovery is not enabled for this gateway.',
                },
                { label: 'Live LoRaWAN frames', to: paths.gatewayFrames(organizationID, gatewayID) },
              ]}
            />
            <Outlet />
          </>
        );
      }}
    </Loaded>
  );
}

GatewayLayout.ask = ({ gatewayID }: IDs) => prefetch(gatewayOf(gatewayID));
