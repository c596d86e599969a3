/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON printed by rxaqm, read by pointers (RFC 6901): "/interfaces/0/xdp_mode". */
#ifndef RXAQM_TESTS_JSON_HPP
#define RXAQM_TESTS_JSON_HPP

#include <json.h>
#include <json_pointer.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

class Json
{
    public:
	/* Parse exactly one document, or throw. */
	explicit Json(const std::string &text)
	{
		std::unique_ptr<json_tokener, decltype(&json_tokener_free)>
			tokener(json_tokener_new(), json_tokener_free);

		json_tokener_set_flags(tokener.get(), JSON_TOKENER_STRICT);
		root_.reset(json_tokener_parse_ex(tokener.get(), text.c_str(),
						  int(text.size() + 1)),
			    json_object_put);
		if (json_tokener_get_error(tokener.get()) != json_tokener_success)
			throw std::runtime_error("not JSON: " + text);
	}

	bool has(const std::string &at) const
	{
		json_object *found;

		return !json_pointer_get(root_.get(), at.c_str(), &found);
	}

	bool is_null(const std::string &at) const
	{
		return !get(at);
	}

	int64_t number(const std::string &at) const
	{
		return json_object_get_int64(typed(at, json_type_int));
	}

	double real(const std::string &at) const
	{
		return json_object_get_double(get(at));
	}

	bool flag(const std::string &at) const
	{
		return json_object_get_boolean(typed(at, json_type_boolean));
	}

	std::string text(const std::string &at) const
	{
		return json_object_get_string(typed(at, json_type_string));
	}

	size_t size(const std::string &at) const
	{
		return json_object_array_length(typed(at, json_type_array));
	}

    private:
	json_object *get(const std::string &at) const
	{
		json_object *found = nullptr;

		if (json_pointer_get(root_.get(), at.c_str(), &found))
			throw std::runtime_error("no " + at + " in " +
						 json_object_to_json_string(root_.get()));
		return found;
	}

	json_object *typed(const std::string &at, json_type type) const
	{
		json_object *found = get(at);

		if (json_object_get_type(found) != type)
			throw std::runtime_error(at + " is no " + json_type_to_name(type));
		return found;
	}

	std::shared_ptr<json_object> root_;
};

#endif /* RXAQM_TESTS_JSON_HPP */
