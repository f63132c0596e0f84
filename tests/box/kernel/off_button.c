// The off button as the overlay gpio-shutdown makes it, on a kernel without a device tree:
// gpio-keys with one key named "shutdown", low while pressed.
#include <linux/gpio/driver.h>
#include <linux/gpio_keys.h>
#include <linux/input.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static int gpio_pin = 25;
module_param(gpio_pin, int, 0);
static int debounce = 100; // ms
module_param(debounce, int, 0);

static struct gpio_keys_button button = {
	.code = KEY_POWER,
	.active_low = 1,
	.desc = "shutdown",
	.type = EV_KEY,
};
static struct gpio_keys_platform_data keys = { .buttons = &button, .nbuttons = 1 };
static struct platform_device *device;

static int is_header(struct gpio_chip *chip, void *label)
{
	return !strcmp(chip->label, label);
}

static int __init plug_in(void)
{
	struct gpio_chip *header = gpiochip_find("pinctrl-bcm2835", is_header);

	if (!header)
		return -ENODEV;
	button.gpio = header->base + gpio_pin;
	button.debounce_interval = debounce;
	device = platform_device_register_data(NULL, "gpio-keys", PLATFORM_DEVID_NONE, &keys,
					       sizeof(keys));
	return PTR_ERR_OR_ZERO(device);
}

static void __exit unplug(void)
{
	platform_device_unregister(device);
}

module_init(plug_in);
module_exit(unplug);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("The off button of a box under test");
