# Lines of shapes.c, and packed packets as a seventh field: tables by group of shapes, and each step's share.
function group_of(shape) {
    return shape ~ /^resnet/ ? "ResNet-18's windows" : shape ~ /x1$/ ? "a walker's layers" : "eight walkers' layers"
}
{
    group = group_of($1)
    groups[group] = 1
    if ($3 == "shape") {
        sum[group, $2, "shape"] += $4
        sum[group, $2, "packed"] += $7
        sum[group, $2, "bound"] += $6
        key = group SUBSEP $1
        if (!(key in least) || $4 < least[key]) {
            least[key] = $4
        }
    } else {
        sum[group, $2, $3] += $4
    }
}
END {
    split("vmpy vmpa vrmpy", forms)
    for (group in groups) {
        best = ""
        for (f = 1; f <= 3; f++) {
            form = forms[f]
            printf "%s, %s: %d %d %d %d; bound %d\n", group, form, sum[group, form, "one"], sum[group, form, "two"],
                sum[group, form, "shape"], sum[group, form, "packed"], sum[group, form, "bound"]
            if (best == "" || sum[group, form, "shape"] < sum[group, best, "shape"]) {
                best = form
            }
        }
        chosen = 0
        for (key in least) {
            split(key, parts, SUBSEP)
            chosen += parts[1] == group ? least[key] : 0
        }
        one = sum[group, best, "one"]
        shape = sum[group, best, "shape"]
        printf "%s: unrolling by two %.1f %%, by the shape %.1f %% more, selection %.1f %%, packing %.1f %%, of %s; all %.1f %%; " \
            "selection and packing %.1f %% of unrolled code, at most %.1f %%\n", group, 100 * (one - sum[group, best, "two"]) / one,
            100 * (sum[group, best, "two"] - shape) / one, 100 * (shape - chosen) / one,
            100 * (shape - sum[group, best, "packed"]) / one, best, 100 * (one - sum[group, best, "packed"]) / one,
            100 * (shape - sum[group, best, "packed"] + shape - chosen) / shape,
            100 * (shape - sum[group, best, "bound"]) / shape
    }
}
