/* Orders in which joints may have been recorded by mistake (diagnose/joint_orders.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "diagnose/joint_orders.h"

/* Of three of these names the other side's is none's, or another's: columns are moved by orders, each to one place. */
static void orders_have_every_joint_once(void **state) {
    static const char text[] = "gallop-contract 1\nname n\nrate 60\nunit 1\njoint Left - 0 0 0\n"
                               "joint LeftLeft Left 0 1 0\njoint RightLeft Left 1 0 0\n"
                               "joint RightRight RightLeft 0 0 1\ninput constant 1 1\n"
                               "output joint.rotation sixd\n";
    (void)state;
    gali_contract *contract;
    gal_error error = {0};
    if (gali_contract_parse(&contract, text, sizeof text - 1, NULL, &error) != GAL_OK) {
        fail_msg("%s", error.message);
    }
    for (gali_joint_order order = GALI_ORDER_DEPTH; order < GALI_ORDER_COUNT; order++) {
        uint32_t at[4], seen = 0;
        gali_joint_order_make(contract, order, at);
        for (int i = 0; i < 4; i++) {
            seen |= at[i] < 4 ? 1u << at[i] : 0;
        }
        assert_int_equal(seen, 15);
    }
    gali_contract_release(contract, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders_have_every_joint_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
