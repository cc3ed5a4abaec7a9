import { Outlet, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { PageTabs } from '../../components/page-header/page-tabs.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { gatewayTone, toneWords } from '../../components/status/gateway-tone.ts';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { useGateway } from './use-gateway.ts';

/** The page of one gateway: its name and state, and the tabs of which each has its own address. */
export function GatewayLayout() {
  const { organizationID, gatewayID } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  const gatewayQuery = useGateway();
  return (
    <Loaded query={gatewayQuery} skeleton={<PageSkeleton />}>
      {({ gateway, lastSeenAt }) => {
        const tone = gatewayTone(lastSeenAt, gatewayQuery.dataUpdatedAt);
        return (
          <>
            <PageHeader
              crumbs={[{ label: 'Gateways', to: paths.gateways(organizationID) }]}
              title={gateway.name}
              badges={<Status tone={tone}>{toneWords[tone]}</Status>}
              actions={
                may('gateway.delete') && (
                  <DeleteButton
                    question="Are you sure you want to delete this gateway?"
                    name={gateway.name}
                    onDelete={() =>
                      perform(api.gateway.delete({ id: gatewayID }), {
                        gone: ['gateway'],
                        done: 'gateway has been deleted',
                      })
                    }
                    onDone={() => void navigate({ to: paths.gateways(organizationID) })}
                  />
                )
              }
            />
            <PageTabs
              tabs={[
                { label: 'Gateway details', to: paths.gateway(organizationID, gatewayID), exact: true },
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
