/*
 * Tensors and constants of float32 as images, four elements a texel, in rows of GALI_IMAGE_WIDTH texels, a power of two: where
 * an element lies is told by shifts and masks. GALI_DIVIDED_ADDRESSES, for measuring: by what the image says of itself, as any
 * width would need it.
 */
__constant sampler_t gali_exact = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

#ifdef GALI_DIVIDED_ADDRESSES
#define gali_texel_at(image, four) \
    ((int2)((int)((four) % (uint)get_image_width(image)), (int)((four) / (uint)get_image_width(image))))
#else
#define gali_texel_at(image, four) \
    ((int2)((int)((four) & (GALI_IMAGE_WIDTH - 1)), (int)((four) >> GALI_IMAGE_WIDTH_LOG)))
#endif
#define gali_texel_four(image, at) read_imagef(image, gali_exact, gali_texel_at(image, (at) / 4))

float gali_texel(__read_only image2d_t image, uint at) {
    const float4 four = gali_texel_four(image, at);
    return at & 2 ? (at & 1 ? four.w : four.z) : (at & 1 ? four.y : four.x);
}
