/* Eight characters walk a circle each; their places are printed once a second. */
#include <stdio.h>

#include <gallop/crowd.h>

int main(int argc, char **argv) {
    gal_error error = {0};
    gal_controller *controller;
    gal_crowd *crowd;
    if (gal_controller_open(&controller, argc > 1 ? argv[1] : "models/walker.gallop", NULL, &error) != GAL_OK ||
        gal_crowd_create(&crowd, &(gal_crowd_desc){.controller = controller, .capacity = 8}, &error) !=
            GAL_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    gal_character who[8];
    for (int i = 0; i < 8; i++) {
        gal_crowd_add(crowd, &(gal_spawn){.x = 200.0f * (float)i, .phase = (float)i}, &who[i]);
    }
    for (int frame = 0; frame < 5 * 60; frame++) {
        for (int i = 0; i < 8; i++) {
            gal_input input = {.move_y = 1, .run = (float)i / 7, .camera_yaw = 0.01f * (float)frame};
            gal_crowd_set_input(crowd, who[i], &input);
        }
        gal_crowd_step(crowd);
        for (int i = 0; frame % 60 == 59 && i < 8; i++) {
            const gal_transform *pose = gal_crowd_pose(crowd, who[i], NULL); /* [joints], in the world */
            printf("%4d  character %d  hips at %8.2f %7.2f %8.2f\n", frame + 1, i, (double)pose[0].position.x,
                   (double)pose[0].position.y, (double)pose[0].position.z);
        }
    }
    gal_crowd_destroy(crowd);
    gal_controller_close(controller);
    return 0;
}
