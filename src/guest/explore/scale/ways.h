/* ways.h: the way to the present place in the search as bytes (units.h): for each frame how often
 * it was advanced, as a number of 1 to 5 bytes, 7 bits each, low ones first. */
#ifndef HEDDLE_EXPLORE_UNITS_WAYS_H
#define HEDDLE_EXPLORE_UNITS_WAYS_H
#include "record/units_shared.h"

/* Writes the first LENGTH frames of the present way and returns how many bytes that takes; 0 if
 * they do not fit. */
uint32_t ways_put(unsigned char *to, int length);
/* Reads the way of HEAD; false if it makes no sense. */
MUST_USE bool ways_read(const unsigned char *from, const UnitHead *head, uint32_t *to);
/* Returns which part of the tree the later children of the frames FLOOR..LENGTH-1 are, if all
 * children of a frame were alike. */
double ways_part_left(int floor, int length);
#endif
