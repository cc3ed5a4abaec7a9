import { Outlet } from '@tanstack/react-router';
import { prefetch } from '../../api/prefetch.ts';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { GatewayHeader } from './gateway-header.tsx';
import { gatewayOf, useGateway } from './use-gateway.ts';

/** The page of one gateway: its header, and tabs with an address each. */
export function GatewayLayout() {
  const { gatewayID } = useIDs();
  return (
    <Loaded query={useGateway()} skeleton={<PageSkeleton />}>
      {(answer) => (
        <>
          <GatewayHeader key={gatewayID} answer={answer} />
          <Outlet />
        </>
      )}
    </Loaded>
  );
}

GatewayLayout.ask = ({ gatewayID }: IDs) => prefetch(gatewayOf(gatewayID));
