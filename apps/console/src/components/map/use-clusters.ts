import { useComputedColorScheme } from '@mantine/core';
import type { ExpressionSpecification, GeoJSONSource, MapLayerMouseEvent, Map as MapView } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import type { MapPoint } from './map-point.ts';
import { haloOf, toneColors } from './map-style.ts';

const source = 'points';
const toneColor: ExpressionSpecification = [
  'match',
  ['get', 'tone'],
  'active',
  toneColors.active,
  'inactive',
  toneColors.inactive,
  'never',
  toneColors.never,
  toneColors.plain,
];

/** Thousands of points as circles; near ones become one circle with their number, which opens at a click. */
export function useClusters(
  map: MapView | undefined,
  points: readonly MapPoint[],
  onOpen: ((point: MapPoint) => void) | undefined,
) {
  const halo = haloOf(useComputedColorScheme('light'));
  const latest = useRef(onOpen);
  useEffect(() => {
    latest.current = onOpen;
  });

  useEffect(() => {
    if (!map || points.length === 0) return;
    const byID = new Map(points.map((point) => [point.id, point]));
    map.addSource(source, {
      type: 'geojson',
      data: collectionOf(points),
      cluster: true,
      clusterRadius: 50,
      clusterMaxZoom: 15,
    });
    addLayers(map, halo);
    const openPoint = ({ features }: MapLayerMouseEvent) => {
      const point = byID.get(String(features?.[0]?.properties.id));
      if (point) latest.current?.(point);
    };
    const openCluster = async ({ features }: MapLayerMouseEvent) => {
      const feature = features?.[0];
      if (feature?.geometry.type !== 'Point') return;
      const [longitude = 0, latitude = 0] = feature.geometry.coordinates;
      const zoom = await map.getSource<GeoJSONSource>(source)?.getClusterExpansionZoom(feature.properties.cluster_id);
      map.easeTo({ center: [longitude, latitude], ...(zoom === undefined ? {} : { zoom }) });
    };
    const subscriptions = [
      map.on('click', 'single', openPoint),
      map.on('click', 'cluster', openCluster),
      ...['single', 'cluster'].flatMap((layer) => [
        map.on('mouseenter', layer, () => (map.getCanvas().style.cursor = 'pointer')),
        map.on('mouseleave', layer, () => (map.getCanvas().style.cursor = '')),
      ]),
    ];
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
      if (!map.style) return;
      for (const layer of ['count', 'cluster', 'single']) map.removeLayer(layer);
      map.removeSource(source);
    };
  }, [map, points, halo]);
}

function collectionOf(points: readonly MapPoint[]) {
  const features = points.map((point) => ({
    type: 'Feature' as const,
    properties: { id: point.id, tone: point.tone ?? 'plain' },
    geometry: { type: 'Point' as const, coordinates: [point.longitude, point.latitude] },
  }));
  return { type: 'FeatureCollection' as const, features };
}

function addLayers(map: MapView, halo: string) {
  const ring = { 'circle-stroke-color': halo, 'circle-stroke-width': 2 };
  map.addLayer({
    id: 'single',
    type: 'circle',
    source,
    filter: ['!', ['has', 'point_count']],
    paint: { 'circle-color': toneColor, 'circle-radius': 8, ...ring },
  });
  map.addLayer({
    id: 'cluster',
    type: 'circle',
    source,
    filter: ['has', 'point_count'],
    paint: {
      'circle-color': toneColors.plain,
      'circle-radius': ['step', ['get', 'point_count'], 14, 10, 18, 100, 23, 1000, 28],
      ...ring,
    },
  });
  map.addLayer({
    id: 'count',
    type: 'symbol',
    source,
    filter: ['has', 'point_count'],
    layout: {
      'text-field': ['get', 'point_count_abbreviated'],
      'text-font': ['sans-serif'],
      'text-size': 12,
      'text-allow-overlap': true,
    },
    paint: { 'text-color': '#ffffff' },
  });
}
