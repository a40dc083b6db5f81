/* frameworks.h: where the assertions of test frameworks fail (GoogleTest, Catch2): the execution
 * ends there, as at a failed assert(). */
#ifndef HEDDLE_ENTRY_FRAMEWORKS_H
#define HEDDLE_ENTRY_FRAMEWORKS_H

/* TYPE, a std::type_info, is thrown at PC: does not return if a failed REQUIRE of Catch2 does so.
 */
void framework_look_at_throw(const void *type, const void *pc);
#endif
