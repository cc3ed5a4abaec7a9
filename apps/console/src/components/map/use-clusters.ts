import { useComputedColorScheme } from '@mantine/core';
import type { ExpressionSpecification, GeoJSONSource, MapLayerMouseEvent, Map as MapView } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import type { MapPoint, PointTone } from './map-point.ts';
import { haloOf, toneColors } from './map-style.ts';

const source = 'points';
const tones = Object.keys(toneColors) as PointTone[];
const isTone = (tone: PointTone): ExpressionSpecification => ['==', ['get', 'tone'], tone];
const countOf = (tone: PointTone): ExpressionSpecification => ['+', ['case', isTone(tone), 1, 0]];
const counts = { active: countOf('active'), inactive: countOf('inactive') };
const hasAny = (tone: keyof typeof counts): ExpressionSpecification => ['>', ['coalesce', ['get', tone], 0], 0];
/** Of several points the worst counts: one that is offline makes all of them red. */
const color: ExpressionSpecification = [
  'case',
  ['any', isTone('inactive'), hasAny('inactive')],
  toneColors.inactive,
  ['any', isTone('active'), hasAny('active')],
  toneColors.active,
  ['any', isTone('never'), ['has', 'point_count']],
  toneColors.never,
  toneColors.plain,
];
/** By the number of points, none for one that stands alone. */
const radius: ExpressionSpecification = [
  'step',
  ['coalesce', ['get', 'point_count'], 0],
  8,
  1,
  14,
  10,
  18,
  100,
  23,
  1000,
  28,
];

/** Thousands of points as circles; near ones become one circle with their number, which opens at a click. */
export function useClusters(
  map: MapView | undefined,
  points: readonly MapPoint[],
  onOpen: ((point: MapPoint) => void) | undefined,
) {
  const halo = haloOf(useComputedColorScheme('light'));
  const latest = useRef({ points, onOpen });
  const drawn = useRef(points);
  const isEmpty = points.length === 0;
  useEffect(() => {
    latest.current = { points, onOpen };
  });

  useEffect(() => {
    if (!map || isEmpty) return;
    drawn.current = latest.current.points;
    map.addSource(source, {
      type: 'geojson',
      data: collectionOf(drawn.current),
      cluster: true,
      clusterProperties: counts,
      clusterRadius: 50,
      clusterMaxZoom: 15,
    });
    addLayers(map, halo);
    const open = async ({ features }: MapLayerMouseEvent) => {
      const feature = features?.[0];
      if (feature?.geometry.type !== 'Point') return;
      const [longitude = 0, latitude = 0] = feature.geometry.coordinates;
      if (feature.properties.cluster_id === undefined) {
        const point = nearestTo({ longitude, latitude }, latest.current.points);
        return point && latest.current.onOpen?.(point);
      }
      const zoom = await map.getSource<GeoJSONSource>(source)?.getClusterExpansionZoom(feature.properties.cluster_id);
      map.easeTo({ center: [longitude, latitude], ...(zoom === undefined ? {} : { zoom }) });
    };
    const subscriptions = [
      map.on('click', 'circles', open),
      map.on('mouseenter', 'circles', () => (map.getCanvas().style.cursor = 'pointer')),
      map.on('mouseleave', 'circles', () => (map.getCanvas().style.cursor = '')),
    ];
    return () => {
      for (const subscription of subscriptions) subscription.unsubscribe();
      if (!map.style) return;
      for (const layer of ['count', 'circles']) map.removeLayer(layer);
      map.removeSource(source);
    };
  }, [map, isEmpty, halo]);

  useEffect(() => {
    if (!map || drawn.current === points) return;
    drawn.current = points;
    void map.getSource<GeoJSONSource>(source)?.setData(collectionOf(points));
  }, [map, points]);
}

/**
 * One feature for all points of a tone: MapLibre copies features for its worker part by part, and ten thousand keep the
 * page busy for a quarter of a second.
 */
function collectionOf(points: readonly MapPoint[]) {
  const features = tones.map((tone) => {
    const alike = points.filter((point) => (point.tone ?? 'plain') === tone);
    const coordinates = alike.map(({ longitude, latitude }) => [longitude, latitude]);
    return {
      type: 'Feature' as const,
      properties: { tone },
      geometry: { type: 'MultiPoint' as const, coordinates },
    };
  });
  return { type: 'FeatureCollection' as const, features };
}

type Place = Pick<MapPoint, 'longitude' | 'latitude'>;

/** The point that stands where a circle is drawn, which is rounded to the steps of its tile. */
function nearestTo({ longitude, latitude }: Place, points: readonly MapPoint[]): MapPoint | undefined {
  const distanceTo = (point: Place) => Math.hypot(point.longitude - longitude, point.latitude - latitude);
  return points.reduce<MapPoint | undefined>(
    (best, one) => (best === undefined || distanceTo(one) < distanceTo(best) ? one : best),
    undefined,
  );
}

function addLayers(map: MapView, halo: string) {
  // One layer for single points and clusters: each layer costs a program for the graphics before its first picture.
  map.addLayer({
    id: 'circles',
    type: 'circle',
    source,
    paint: {
      'circle-color': color,
      'circle-radius': radius,
      'circle-stroke-color': halo,
      'circle-stroke-width': 2,
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
